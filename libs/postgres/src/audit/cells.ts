import type { Corrections, CounterCell, CounterName, RowRewrite, RunTimeCell } from '#libs/application';
import { countersOf } from '#libs/application';
import { ints, texts } from '../arrays.js';
import type { Queryable } from '../database.js';
import { COUNTER_COLUMNS, UPSERT_COUNTERS, UPSERT_RUN_TIMES } from '../log/counters.js';

/** Counters have one name in the application and one as a column: `dead-lettered`, `dead_lettered`. */
export function counterOf(column: string): CounterName {
  return column.replaceAll('_', '-') as CounterName;
}

/** What rewriting rows changes of the counters: after minus before. */
export function cellsOf(rewrites: readonly RowRewrite[]): Corrections {
  const counters: CounterCell[] = [];
  const runTimes: RunTimeCell[] = [];
  for (const { row, before, after } of rewrites) {
    const { queueId, shard } = row;
    for (const [contribution, sign] of [
      [before, -1],
      [after, 1],
    ] as const) {
      if (contribution === null) continue;
      for (const [name, count] of Object.entries(countersOf(contribution))) {
        counters.push({ queueId, shard, counter: name as CounterName, count: sign * count });
      }
      for (const bucket of contribution.runTimes)
        runTimes.push({ queueId, shard, kind: contribution.kind, bucket, count: sign });
    }
  }
  return { counters, runTimes };
}

/** Adds cells to the counters, rows in the order in which every writer locks them. */
export async function addCells(tx: Queryable, { counters, runTimes }: Corrections): Promise<void> {
  const rows = counterRows(counters);
  if (rows.length > 0) {
    await tx.query(UPSERT_COUNTERS, [
      ints(rows.map((r) => r.queueId)),
      ints(rows.map((r) => r.shard)),
      ...COUNTER_COLUMNS.map((_, i) => ints(rows.map((r) => r.values[i] ?? 0))),
    ]);
  }
  const times = summedRunTimes(runTimes);
  if (times.length > 0) {
    await tx.query(UPSERT_RUN_TIMES, [
      ints(times.map((t) => t.queueId)),
      ints(times.map((t) => t.shard)),
      texts(times.map((t) => t.kind)),
      ints(times.map((t) => t.bucket)),
      ints(times.map((t) => t.count)),
    ]);
  }
}

interface CounterRow {
  readonly queueId: number;
  readonly shard: number;
  readonly values: number[];
}

function counterRows(cells: readonly CounterCell[]): CounterRow[] {
  const rows = new Map<string, CounterRow>();
  for (const { queueId, shard, counter, count } of cells) {
    const key = `${queueId}/${shard}`;
    let row = rows.get(key);
    if (row === undefined) rows.set(key, (row = { queueId, shard, values: COUNTER_COLUMNS.map(() => 0) }));
    const at = COUNTER_COLUMNS.indexOf(counter.replaceAll('-', '_'));
    row.values[at] = (row.values[at] ?? 0) + count;
  }
  return [...rows.values()].filter((r) => r.values.some((v) => v !== 0)).sort(byQueueAndShard);
}

function summedRunTimes(cells: readonly RunTimeCell[]): RunTimeCell[] {
  const sums = new Map<string, RunTimeCell>();
  for (const cell of cells) {
    const key = `${cell.queueId}/${cell.shard}/${cell.bucket}/${cell.kind}`;
    sums.set(key, { ...cell, count: (sums.get(key)?.count ?? 0) + cell.count });
  }
  const order = (a: RunTimeCell, b: RunTimeCell): number =>
    byQueueAndShard(a, b) || (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0) || a.bucket - b.bucket;
  return [...sums.values()].filter((c) => c.count !== 0).sort(order);
}

function byQueueAndShard(a: { queueId: number; shard: number }, b: { queueId: number; shard: number }): number {
  return a.queueId - b.queueId || a.shard - b.shard;
}
