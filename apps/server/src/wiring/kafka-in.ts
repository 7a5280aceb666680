import {
  FactWriter,
  LANE_HTTP,
  LaneIncidents,
  LaneIngest,
  Loop,
  type Failpoint,
  type FeedBatch,
  type Incidents,
  type LaneObserver,
  type LogStore,
  type PolicySource,
} from '#libs/application';
import type { IngestResult, ParseContext } from '#libs/contracts';
import { KafkaFeed, type ClientLog, type KafkaSettings } from '#libs/kafka';
import type { Metrics } from '#libs/observability';
import { PgLaneStore, QueueIds, type Database } from '#libs/postgres';
import type { Logger } from 'pino';
import { feedObserver } from '../kafka/feed-observer.js';
import { KafkaStrategy, type Feed } from '../kafka/kafka-strategy.js';
import { libraryLog } from '../kafka/settings.js';
import { intakeStores } from './intake.js';

export interface KafkaInParts {
  readonly settings: KafkaSettings;
  readonly clientId: string;
  readonly clientLog: ClientLog;
  /** A pool of its own: a reader that waits for a blocked database must not hold up anything else, nor be held up. */
  readonly database: Database;
  readonly log: LogStore;
  readonly policies: PolicySource;
  /** Of the transport `kafka`. */
  readonly context: () => ParseContext;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clockMode: 'real' | 'manual';
  readonly failpoint: Failpoint;
  readonly incidents: Incidents;
  readonly sessionTimeoutMs: number;
  /** Topics that were missing are there by now; a reader that looks sooner would complain of them. */
  readonly topicsLooked: Promise<void>;
}

/** Until then no verdict can rest on what a tick has shown; one statement for all partitions. */
const FLUSH_EVERY_MS = 100;
/** Whoever moves a manual clock waits for what lies in the partitions, and ticks are a part of that. */
const FLUSH_EVERY_MS_MANUAL = 20;

/**
 * The way in over Kafka, of one replica.
 *
 *   start: read in the background, store four times a second what ticks have moved
 *   drain: no new batches → those under way → what was read of the lanes is stored
 *
 * The strategy leaves the group when the application is closed, which comes after that.
 */
export class KafkaIn {
  readonly strategy: KafkaStrategy;
  readonly intake: LaneIngest;
  private readonly flushing: Loop;
  private feed: (Feed & { readonly healthy: boolean }) | null = null;

  constructor(parts: KafkaInParts) {
    const { settings, clientId, database, metrics, logger, failpoint, sessionTimeoutMs } = parts;
    const lanes = new PgLaneStore(database);
    const stores = intakeStores({ ...parts, queueIds: new QueueIds(database) });
    this.intake = new LaneIngest(
      {
        ...stores,
        // The lane comes with each batch.
        writer: new FactWriter(parts.log, parts.policies, LANE_HTTP),
        lanes,
        context: parts.context,
        observer: laneObserver(parts),
      },
      { clockMode: parts.clockMode },
    );
    const observer = feedObserver({ metrics, log: logger, lanes });
    this.strategy = new KafkaStrategy(this.intake, (receiver) => {
      this.feed = new KafkaFeed({ settings, receiver, clientId, observer, log: libraryLog(parts.clientLog), failpoint, sessionTimeoutMs });
      return this.feed;
    }, parts.topicsLooked);
    this.flushing = new Loop(() => this.flush(), {
      idleMs: parts.clockMode === 'manual' ? FLUSH_EVERY_MS_MANUAL : FLUSH_EVERY_MS,
      onError: (error) => logger.warn({ err: error }, 'how far the partitions have been read could not be stored'),
    });
  }

  get healthy(): boolean {
    return this.feed?.healthy ?? false;
  }

  /** The strategy is started by the application. */
  start(): void {
    this.flushing.start();
  }

  async drain(): Promise<void> {
    await this.strategy.pause();
    await this.flushing.stop();
    await this.intake.flush();
  }

  private async flush(): Promise<boolean> {
    await this.intake.flush();
    return false;
  }
}

function laneObserver({ metrics, logger, incidents }: KafkaInParts): LaneObserver {
  const lanes = new LaneIncidents(incidents);
  return {
    stored(batch, results) {
      for (const { outcome } of results) metrics.ingested.add({ outcome });
      observeLag(metrics, batch, results);
    },
    async stopped(lane, why, found) {
      await lanes.stopped(lane, why, found);
      logger.warn({ lane: lane.name }, 'the partition is not read any more: say where to go on with POST /v1/lanes/seek');
    },
    reading: (read) => lanes.reading(read),
  };
}

/** Of the events at the batch's end: ticks, and what was stored before, are none. `Date.now` decides nothing here. */
function observeLag(metrics: Metrics, { records }: FeedBatch, results: readonly IngestResult[]): void {
  const nowMs = Date.now();
  const events = records.filter(({ tick }) => !tick);
  for (const { timeMs } of events.slice(events.length - results.length)) {
    metrics.laneIngest.observe({}, Math.max(0, nowMs - timeMs) / 1_000);
  }
}
