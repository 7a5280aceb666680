import type { OverviewReads, OverviewRow, OverviewRows, OverviewSample } from '#libs/application';
import { texts } from '../arrays.js';
import type { Database } from '../database.js';
import * as sql from './statements.js';

export class PgOverviewReads implements OverviewReads {
  constructor(private readonly database: Database) {}

  /** Several statements, beside each other: the parts of an overview may be a moment apart. */
  async queues(namespaces: readonly string[] | 'all', limit: number): Promise<OverviewRows> {
    const [time] = await this.database.query<{ now_ms: number; last_ms: number }>(sql.TIME);
    const nowMs = time?.now_ms ?? 0;
    const minute = Math.floor(nowMs / 60_000);
    const within = namespaces === 'all' ? null : texts(namespaces);
    const [queues, suspected, held, samples, taken, ended] = await Promise.all([
      this.database.query<StoredQueue>(sql.QUEUES, [within, limit + 1]),
      this.database.query<Counted>(sql.SUSPECTED),
      this.database.query<Counted>(sql.HELD),
      this.database.query<StoredSamples>(sql.SAMPLES, [minute - sql.SHOWN_MINUTES, minute - sql.RECENT_MINUTES]),
      this.database.query<{ minute: number }>(sql.TAKEN, [minute - sql.SHOWN_MINUTES]),
      this.database.query<Ended>(sql.ENDED_SINCE, [Math.max(time?.last_ms ?? 0, nowMs - sql.RECENT_MINUTES * 60_000)]),
    ]);
    const counts = (rows: readonly Counted[]) => new Map(rows.map(({ queue_id, count }) => [queue_id, count]));
    const beside: Beside = {
      suspected: counts(suspected),
      held: counts(held),
      samples: new Map(samples.map((row) => [row.queue_id, row])),
      ended: new Map(ended.map((row) => [row.queue_id, row])),
    };
    return {
      nowMs,
      minutes: taken.map((row) => row.minute),
      queues: queues.slice(0, limit).map((row) => overviewRow(row, beside)),
      more: queues.length > limit,
    };
  }
}

interface Counted {
  readonly queue_id: number;
  readonly count: number;
}

interface Ended {
  readonly queue_id: number;
  readonly succeeded: number;
  readonly failed: number;
}

interface StoredQueue {
  readonly queue_id: number;
  readonly namespace: string;
  readonly queue: string;
  readonly waiting: number | null;
  readonly running: number;
  readonly stuck: number;
  readonly dead_lettered: number;
  readonly oldest_ms: number | null;
  readonly blackout: boolean;
  readonly probing: boolean;
}

/** Lists as text: a row of sixty numbers is split faster than sixty rows are read. */
interface StoredSamples extends Ended {
  readonly minutes: string;
  readonly waiting_at: string;
  /** Thousandths; nothing where nothing ended. */
  readonly failed_at: string;
  readonly median_at: string;
  readonly median_ms: number | null;
}

interface Beside {
  readonly suspected: ReadonlyMap<number, number>;
  readonly held: ReadonlyMap<number, number>;
  readonly samples: ReadonlyMap<number, StoredSamples>;
  readonly ended: ReadonlyMap<number, Ended>;
}

function overviewRow(row: StoredQueue, { suspected, held, samples, ended }: Beside): OverviewRow {
  const id = row.queue_id;
  const sampled = samples.get(id);
  const since = ended.get(id);
  return {
    namespace: row.namespace,
    queue: row.queue,
    waiting: row.waiting,
    running: row.running,
    stuck: row.stuck + (suspected.get(id) ?? 0),
    deadLettered: row.dead_lettered,
    held: held.get(id) ?? 0,
    oldestSinceMs: row.oldest_ms,
    succeeded: (sampled?.succeeded ?? 0) + (since?.succeeded ?? 0),
    failed: (sampled?.failed ?? 0) + (since?.failed ?? 0),
    medianMs: sampled?.median_ms ?? null,
    samples: sampled === undefined ? new Map() : samplesOf(sampled),
    recovery: row.blackout ? 'blackout' : row.probing ? 'probing' : null,
  };
}

function samplesOf({ minutes, waiting_at, failed_at, median_at }: StoredSamples): ReadonlyMap<number, OverviewSample> {
  const [waiting, failed, medians] = [waiting_at.split(','), failed_at.split(','), median_at.split(',')];
  return new Map(
    minutes.split(',').map((minute, i) => {
      const thousandths = figure(failed[i]);
      return [Number(minute), { waiting: Number(waiting[i]), failed: thousandths === null ? null : thousandths / 1_000, medianMs: figure(medians[i]) }];
    }),
  );
}

const figure = (text: string | undefined): number | null => (text === undefined || text === '' ? null : Number(text));
