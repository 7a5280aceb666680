import type { DeadLetterShelf, DueStore, IncidentStore, LaneClock, LaneReading, PublishingReport, QueueReads, WorkerReads } from '#libs/application';
import type { HotKeys, Metrics } from '#libs/observability';
import type { Logger } from 'pino';
import { getHeapStatistics } from 'node:v8';
import { hotLabels } from '../wiring/measured-log.js';
import { NO_INCIDENTS, type BoardFigures } from './board-figures.js';
import { setDeadLetters } from './dead-letter-figures.js';
import { forgetLanes, setLanes } from './lane-figures.js';

export interface CollectorParts {
  readonly metrics: Metrics;
  readonly queues: QueueReads;
  readonly lanes: Pick<WorkerReads, 'lanes'>;
  readonly hotQueues: Pick<HotKeys, 'top'>;
  /** null: this process reads nothing from Kafka. */
  readonly kafkaConnected: () => boolean | null;
  readonly publishing: PublishingReport;
  readonly deadLetters: Pick<DeadLetterShelf, 'standing'>;
  readonly incidents: Pick<IncidentStore, 'openCounts'>;
  readonly boards: Pick<BoardFigures, 'read' | 'forget'>;
  readonly due: DueStore;
  readonly clock: LaneClock;
  readonly pools: () => readonly { readonly inUse: number; readonly waiting: number }[];
  readonly replicaId: string;
  readonly log: Logger;
}

/** Queues and kinds that are named. */
const HOT = 10;

/** What is worth as much as its age, read at the scrape. Two scrapers at once share one reading. */
export class Collector {
  private running: Promise<void> | null = null;

  constructor(private readonly parts: CollectorParts) {}

  collect(): Promise<void> {
    this.running ??= this.read().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async read(): Promise<void> {
    const { metrics, pools, log } = this.parts;
    this.readProcess();
    const figures = pools();
    metrics.poolInUse.set(
      {},
      figures.reduce((sum, pool) => sum + pool.inUse, 0),
    );
    metrics.poolWaiting.set(
      {},
      figures.reduce((sum, pool) => sum + pool.waiting, 0),
    );
    try {
      await this.readDatabase();
    } catch (error) {
      // Unknown is absent, never 0: an alert on an absent backlog is right, one on an empty one would be silence.
      this.forget();
      log.warn({ err: error }, 'figures of the database could not be read');
    }
  }

  private readProcess(): void {
    const { metrics, hotQueues, kafkaConnected } = this.parts;
    metrics.heapLimit.set({}, getHeapStatistics().heap_size_limit);
    metrics.hotQueues.replace(hotQueues.top(HOT).map(([key, events]) => [hotLabels(key), events] as const));
    const connected = kafkaConnected();
    if (connected === null) metrics.kafkaConnected.forget({});
    else metrics.kafkaConnected.set({}, connected ? 1 : 0);
  }

  private async readDatabase(): Promise<void> {
    const { metrics, queues, publishing, replicaId } = this.parts;
    const depths = await queues.exported(replicaId);
    if (depths === null) {
      this.forget();
      return;
    }
    const known = depths.flatMap(({ queue, waiting }) => (waiting === null ? [] : [[{ queue }, waiting] as const]));
    metrics.unprocessedMessages.replace(known);
    metrics.oldestUnresolved.replace(
      depths.map(({ queue, oldestUnresolvedMs }) => [{ queue }, (oldestUnresolvedMs ?? 0) / 1_000] as const),
    );
    const [lag, parked, retrying] = await Promise.all([publishing.lag(), publishing.parkedCount(), publishing.retryingCount()]);
    metrics.publisherLag.replace(
      lag.map(({ shard, oldestMs }) => [{ shard: String(shard) }, oldestMs / 1_000] as const),
    );
    metrics.publisherParked.set({}, parked);
    metrics.webhookRetrying.set({}, retrying);
    const open = [...(await this.parts.incidents.openCounts())].map(([kind, count]) => [{ kind }, count] as const);
    metrics.incidentsOpen.replace([...NO_INCIDENTS, ...open]);
    setDeadLetters(metrics, await this.parts.deadLetters.standing());
    const held = await queues.recovery();
    metrics.jobsHeld.replace(held.jobs.map(({ by, count }) => [{ by }, count] as const));
    metrics.recoveryHeld.replace(held.queues.map(({ queue, by }) => [{ queue, by }, 1] as const));
    const reading = await this.parts.clock.read();
    metrics.sweepLag.set({}, (await this.sweepLagMs(reading)) / 1_000);
    setLanes(metrics, reading, await this.parts.lanes.lanes());
    await this.parts.boards.read(depths, reading.nowMs);
    metrics.deadRows.replace((await queues.deadRows()).map(({ table, ratio }) => [{ table }, ratio] as const));
    const xminAgeMs = await queues.oldestXminAgeMs();
    if (xminAgeMs === null) metrics.oldestXminAge.forget({});
    else metrics.oldestXminAge.set({}, xminAgeMs / 1_000);
  }

  private async sweepLagMs({ nowMs }: LaneReading): Promise<number> {
    const due = await this.parts.due.due({ nowMs, perQueue: 1, limit: 1_000 });
    return due.reduce((most, { lookAtMs }) => Math.max(most, nowMs - lookAtMs), 0);
  }

  private forget(): void {
    const { metrics } = this.parts;
    metrics.unprocessedMessages.replace([]);
    metrics.oldestUnresolved.replace([]);
    metrics.publisherLag.replace([]);
    metrics.deadRows.replace([]);
    metrics.publisherParked.forget({});
    metrics.webhookRetrying.forget({});
    metrics.incidentsOpen.replace([]);
    metrics.jobsHeld.replace([]);
    metrics.recoveryHeld.replace([]);
    metrics.sweepLag.forget({});
    forgetLanes(metrics);
    this.parts.boards.forget();
    setDeadLetters(metrics, []);
    metrics.oldestXminAge.forget({});
  }
}
