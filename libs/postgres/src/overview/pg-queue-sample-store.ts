import type { QueueSample, QueueSampleStore, SampledQueue, LastSample } from '#libs/application';
import { RUN_TIME_BUCKETS } from '#libs/domain';
import { ints } from '../arrays.js';
import type { Database } from '../database.js';
import { IS_EXPORTER } from '../read/queue-statements.js';
import { WAITING_OF } from '../read/waiting.js';

const QUEUES = `
SELECT q.queue_id AS "queueId", coalesce(${WAITING_OF}, 0) AS waiting, coalesce(c.running, 0) AS running, coalesce(c.succeeded, 0) AS succeeded
FROM jobwarden.queues q
LEFT JOIN (SELECT queue_id, sum(processing)::bigint AS running, sum(attempts_succeeded)::bigint AS succeeded
           FROM jobwarden.queue_counters GROUP BY queue_id) c ON c.queue_id = q.queue_id`;

const LAST = `
SELECT jobwarden.lane_now() AS now_ms,
  (SELECT max(minute) FROM jobwarden.queue_samples WHERE minute > (SELECT jobwarden.lane_now()) / 60000 - 60) AS last_minute`;

const RUN_TIMES = `
SELECT queue_id, bucket, sum(count)::bigint AS count FROM jobwarden.run_times
WHERE queue_id = ANY ($1::integer[]) AND bucket < ${String(RUN_TIME_BUCKETS)} GROUP BY queue_id, bucket`;

const ENDED = `
SELECT queue_id, sum(succeeded)::integer AS succeeded, sum(failed + lost)::integer AS failed
FROM jobwarden.outcomes WHERE slot_ms >= $1 AND slot_ms < $2 GROUP BY queue_id HAVING sum(succeeded + failed + lost) > 0`;

const WRITE = `
INSERT INTO jobwarden.queue_samples (minute, queue_id, waiting, running, succeeded, failed, median_ms)
SELECT $1::integer, 0, 0, 0, 0, 0, NULL::bigint
UNION ALL
SELECT $1::integer, s."queueId", s.waiting, s.running, s.succeeded, s.failed, s."medianMs"
FROM json_to_recordset($2::json) AS s ("queueId" integer, waiting bigint, running bigint, succeeded integer, failed integer, "medianMs" bigint)
ON CONFLICT (minute, queue_id) DO UPDATE SET waiting = excluded.waiting, running = excluded.running, succeeded = excluded.succeeded,
  failed = excluded.failed, median_ms = excluded.median_ms`;

export class PgQueueSampleStore implements QueueSampleStore {
  constructor(private readonly database: Database) {}

  async last(replicaId: string): Promise<LastSample | null> {
    const [exporter] = await this.database.query<{ mine: boolean }>(IS_EXPORTER, [replicaId]);
    if (exporter?.mine !== true) return null;
    const [last] = await this.database.query<{ now_ms: number; last_minute: number | null }>(LAST);
    return { nowMs: last?.now_ms ?? 0, lastMinute: last?.last_minute ?? null };
  }

  async queues(): Promise<readonly SampledQueue[]> {
    return await this.database.query<SampledQueue>(QUEUES);
  }

  async runTimes(queueIds: readonly number[]): Promise<ReadonlyMap<number, ReadonlyMap<number, number>>> {
    const rows = await this.database.query<{ queue_id: number; bucket: number; count: number }>(RUN_TIMES, [ints(queueIds)]);
    const found = new Map<number, Map<number, number>>();
    for (const { queue_id: id, bucket, count } of rows) {
      let buckets = found.get(id);
      if (buckets === undefined) found.set(id, (buckets = new Map<number, number>()));
      buckets.set(bucket, count);
    }
    return found;
  }

  async ended(sinceMs: number, untilMs: number): Promise<ReadonlyMap<number, { readonly succeeded: number; readonly failed: number }>> {
    const rows = await this.database.query<{ queue_id: number; succeeded: number; failed: number }>(ENDED, [sinceMs, untilMs]);
    return new Map(rows.map(({ queue_id: id, ...ended }) => [id, ended]));
  }

  async write(minute: number, samples: readonly QueueSample[]): Promise<void> {
    await this.database.query(WRITE, [minute, JSON.stringify(samples)]);
  }
}
