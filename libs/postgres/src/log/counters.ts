import type { JobWrite } from '#libs/application';
import type { Contribution, JobStatus } from '#libs/domain';
import { rowsOf } from './statements.js';

/** Columns of `queue_counters` after (queue_id, shard), in order. */
const STATUS_COLUMNS: readonly JobStatus[] = [
  'queued',
  'processing',
  'restart-requested',
  'failed',
  'retrying',
  'requeued',
  'incomplete',
  'succeeded',
  'dead-lettered',
  'cancelled',
  'discarded',
];
const SUM_COLUMNS = ['succeeded', 'failed', 'lost', 'retries', 'deadLettered', 'anomalies'] as const;
const COLUMNS: readonly string[] = [
  ...STATUS_COLUMNS.map((s) => s.replaceAll('-', '_')),
  'attempts_succeeded',
  'attempts_failed',
  'attempts_lost',
  'retries',
  'dead_letters',
  'anomalies',
];
export const COUNTER_COLUMNS = COLUMNS;

export const UPSERT_COUNTERS = `
INSERT INTO jobwarden.queue_counters AS c (queue_id, shard, ${COLUMNS.join(', ')})
SELECT u.* FROM ${rowsOf({
  queue_id: 'integer',
  shard: 'smallint',
  ...Object.fromEntries(COLUMNS.map((column) => [column, 'bigint'])),
})} AS u
ON CONFLICT (queue_id, shard) DO UPDATE SET ${COLUMNS.map((c) => `${c} = c.${c} + excluded.${c}`).join(', ')}`;

export const UPSERT_RUN_TIMES = `
INSERT INTO jobwarden.run_times AS r (queue_id, shard, kind, bucket, count)
SELECT u.* FROM ${rowsOf({ queue_id: 'integer', shard: 'smallint', kind: 'text', bucket: 'smallint', count: 'bigint' })} AS u
ON CONFLICT (queue_id, shard, kind, bucket) DO UPDATE SET count = r.count + excluded.count`;

export interface CounterRow {
  readonly queueId: number;
  readonly shard: number;
  /** Differences, in the order of {@link COUNTER_COLUMNS}. */
  readonly values: number[];
}

export interface RunTimeRow {
  readonly queueId: number;
  readonly shard: number;
  readonly kind: string;
  readonly bucket: number;
  count: number;
}

/** What a batch changes: after minus before, summed per (queue, shard); sorted, so that writers lock in one order. */
export function differences(writes: readonly JobWrite[]): { counters: CounterRow[]; runTimes: RunTimeRow[] } {
  const counters = new Map<string, CounterRow>();
  const runTimes = new Map<string, RunTimeRow>();
  for (const write of writes) {
    if (write.scheduleOnly) continue;
    const { queueId, shard } = write.job;
    const key = `${String(queueId)}/${String(shard)}`;
    let row = counters.get(key);
    if (row === undefined) counters.set(key, (row = { queueId, shard, values: COLUMNS.map(() => 0) }));
    if (write.before !== null) addTo(row.values, write.before, -1);
    addTo(row.values, write.after, 1);
    for (const [contribution, sign] of [[write.before, -1], [write.after, 1]] as const) {
      const kind = contribution?.kind ?? '';
      for (const bucket of contribution?.runTimes ?? []) {
        const runKey = `${key}/${String(bucket)}/${kind}`;
        const run = runTimes.get(runKey);
        if (run === undefined) runTimes.set(runKey, { queueId, shard, kind, bucket, count: sign });
        else run.count += sign;
      }
    }
  }
  return {
    counters: [...counters.values()].filter((c) => c.values.some((v) => v !== 0)).sort(byQueueAndShard),
    runTimes: [...runTimes.values()]
      .filter((r) => r.count !== 0)
      .sort((a, b) => byQueueAndShard(a, b) || compare(a.kind, b.kind) || a.bucket - b.bucket),
  };
}

export function addTo(values: number[], c: Contribution, sign: 1 | -1): void {
  const status = STATUS_COLUMNS.indexOf(c.status);
  values[status] = (values[status] ?? 0) + sign;
  for (const [i, field] of SUM_COLUMNS.entries()) {
    const at = STATUS_COLUMNS.length + i;
    values[at] = (values[at] ?? 0) + sign * c[field];
  }
}

function byQueueAndShard(a: { queueId: number; shard: number }, b: { queueId: number; shard: number }): number {
  return a.queueId - b.queueId || a.shard - b.shard;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
