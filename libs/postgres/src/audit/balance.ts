import type { BalanceRequest, CounterCell, RunTimeCell, StoredSums } from '#libs/application';
import { ints } from '../arrays.js';
import type { Connection, Database } from '../database.js';
import { COUNTER_COLUMNS } from '../log/counters.js';
import { addCells, counterOf } from './cells.js';
import * as sql from './statements.js';

/**
 * All rows of some shards and their counters in one snapshot. The corrections are added by a second connection while
 * the first still holds its lock: writers may have moved the counters on since the snapshot, which adding allows and
 * the snapshot's own isolation would not.
 */
export async function balance(database: Database, request: BalanceRequest): Promise<void> {
  await database.connected(async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    try {
      // Before anything is read: a lock takes no snapshot, so the one that follows sees what the last holder added.
      if (request.exclusive) await client.query(sql.ONE_AT_A_TIME);
      await readRows(client, request);
      const corrections = request.settle(await readSums(client, request.shards));
      if (corrections !== null) await database.transaction((tx) => addCells(tx, corrections));
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}

interface CountedRowOfJobs {
  readonly queue_id: number;
  readonly shard: number;
  readonly state: string;
}

async function readRows(tx: Connection, { shards, row }: BalanceRequest): Promise<void> {
  await tx.query(sql.COUNTED_ROWS, [ints(shards)]);
  for (;;) {
    const rows = await tx.query<CountedRowOfJobs>(sql.FETCH_COUNTED);
    if (rows.length === 0) return;
    for (const { queue_id: queueId, shard, state } of rows) row({ queueId, shard, state });
  }
}

async function readSums(tx: Connection, shards: readonly number[]): Promise<StoredSums> {
  const wanted = [ints(shards)];
  const counters = await tx.query<Record<string, number>>(sql.COUNTERS, wanted);
  const runTimes = await tx.query<Omit<RunTimeCell, 'queueId'> & { queue_id: number }>(sql.RUN_TIMES, wanted);
  const retired = await tx.query<{ queue_id: number; shard: number; status: string; count: number }>(
    sql.RETIRED,
    wanted,
  );
  const queues = await tx.query<{ queue_id: number; namespace: string; queue: string }>(sql.QUEUES);
  return {
    counters: counters.flatMap(cellsOfRow),
    runTimes: runTimes.map(({ queue_id: queueId, shard, kind, bucket, count }) => ({
      queueId,
      shard,
      kind,
      bucket,
      count,
    })),
    retired: retired.map(({ queue_id: queueId, shard, status, count }) => ({
      queueId,
      shard,
      counter: counterOf(status),
      count,
    })),
    queues: new Map(queues.map(({ queue_id: id, namespace, queue }) => [id, { namespace, queue }])),
  };
}

function cellsOfRow(row: Record<string, number>): CounterCell[] {
  return COUNTER_COLUMNS.map((column) => ({
    queueId: row['queue_id'] ?? 0,
    shard: row['shard'] ?? 0,
    counter: counterOf(column),
    count: row[column] ?? 0,
  }));
}
