import type { JobWrite } from '#libs/application';
import { JOB_STATUSES, type Contribution, type JobStatus } from '#libs/domain';
import { rowsOf } from '../arrays.js';

/** Columns of `queue_counters` after (queue_id, shard), in order. */
const SUM_COLUMNS = ['succeeded', 'failed', 'lost', 'retries', 'deadLettered', 'anomalies'] as const;
const COLUMNS: readonly string[] = [
  ...JOB_STATUSES.map((s) => s.replaceAll('-', '_')),
  'attempts_succeeded',
  'attempts_failed',
  'attempts_lost',
  'retries',
  'dead_letters',
  'anomalies',
];
export const COUNTER_COLUMNS = COLUMNS;
const STATUS_AT = Object.fromEntries(JOB_STATUSES.map((status, i) => [status, i])) as Readonly<Record<JobStatus, number>>;

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
  readonly count: number;
}

/** What a batch changes: after minus before, summed per (queue, shard); sorted, so that writers lock in one order. */
export function differences(writes: readonly JobWrite[]): { counters: CounterRow[]; runTimes: RunTimeRow[] } {
  const cells = new Map<number, Cell>();
  for (const { job, before, after, scheduleOnly } of writes) {
    if (scheduleOnly) continue;
    const key = job.queueId * MAX_SHARDS + job.shard;
    let cell = cells.get(key);
    if (cell === undefined) cells.set(key, (cell = emptyCell(job.queueId, job.shard)));
    if (before !== null) add(cell, before, -1);
    add(cell, after, 1);
  }
  const sorted = [...cells.values()].sort(byQueueAndShard);
  return { counters: sorted.filter((c) => c.values.some((v) => v !== 0)), runTimes: sorted.flatMap(runTimesOf) };
}

/** More than a database can have, so that (queue, shard) is one number. */
const MAX_SHARDS = 65_536;
const ZEROES: readonly number[] = COLUMNS.map(() => 0);

interface Cell extends CounterRow {
  readonly runTimes: Map<string, Map<number, number>>;
}

function emptyCell(queueId: number, shard: number): Cell {
  return { queueId, shard, values: ZEROES.slice(), runTimes: new Map() };
}

function add({ values, runTimes }: Cell, contribution: Contribution, sign: 1 | -1): void {
  addTo(values, contribution, sign);
  if (contribution.runTimes.length === 0) return;
  let counts = runTimes.get(contribution.kind);
  if (counts === undefined) runTimes.set(contribution.kind, (counts = new Map<number, number>()));
  for (const bucket of contribution.runTimes) counts.set(bucket, (counts.get(bucket) ?? 0) + sign);
}

function runTimesOf({ queueId, shard, runTimes }: Cell): RunTimeRow[] {
  return [...runTimes]
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([kind, counts]) =>
      [...counts]
        .filter(([, count]) => count !== 0)
        .sort(([a], [b]) => a - b)
        .map(([bucket, count]) => ({ queueId, shard, kind, bucket, count })),
    );
}

export function addTo(values: number[], c: Contribution, sign: 1 | -1): void {
  bump(values, STATUS_AT[c.status], sign);
  for (let i = 0; i < SUM_COLUMNS.length; i += 1) {
    const field = SUM_COLUMNS[i];
    if (field !== undefined) bump(values, JOB_STATUSES.length + i, sign * c[field]);
  }
}

function bump(values: number[], at: number, by: number): void {
  values[at] = (values[at] ?? 0) + by;
}

function byQueueAndShard(a: { queueId: number; shard: number }, b: { queueId: number; shard: number }): number {
  return a.queueId - b.queueId || a.shard - b.shard;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
