import type {
  AuditStore,
  BalanceRequest,
  KeyRange,
  PositionCheck,
  Refolding,
  Rewritten,
  RowRewrite,
  SliceSink,
  UnfinishedPage,
  UnfinishedRequest,
} from '#libs/application';
import { bools, hexes, ints, texts } from '../arrays.js';
import type { Connection, Database, Queryable } from '../database.js';
import { isConflict } from '../errors.js';
import { readInstallation } from '../migrate/installation.js';
import { balance } from './balance.js';
import { addCells, cellsOf } from './cells.js';
import { checkPositions } from './positions.js';
import { readSlice } from './read-slice.js';
import { snapshot } from './snapshot.js';
import * as sql from './statements.js';

/** Times a rewrite is repeated after a deadlock before the caller hears of it. */
const MAX_TRIES = 12;

export class PgAuditStore implements AuditStore {
  constructor(
    private readonly database: Database,
    readonly shards: number,
  ) {}

  async countRows(limit: number): Promise<number> {
    const [row] = await this.database.query<{ rows: number }>(sql.COUNT_ROWS, [limit]);
    return row?.rows ?? 0;
  }

  async foldVersionInForce(): Promise<number> {
    const { foldVersion } = await readInstallation(this.database);
    return foldVersion;
  }

  async newestFoldVersion(): Promise<number> {
    const [row] = await this.database.query<{ version: number }>(sql.NEWEST_FOLD);
    return row?.version ?? 0;
  }

  async slice(range: KeyRange, sink: SliceSink): Promise<string | null> {
    return await snapshot(this.database, (tx) => readSlice(tx, range, sink, false));
  }

  async rewrite(range: KeyRange, begin: () => Refolding): Promise<Rewritten> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.database.connected((client) => rewriteOnce(client, range, begin()));
      } catch (error) {
        if (!isConflict(error) || tries >= MAX_TRIES) throw error;
      }
    }
  }

  async balance(request: BalanceRequest): Promise<void> {
    await balance(this.database, request);
  }

  async positions(shard: number, onRead?: (share: number) => void): Promise<PositionCheck> {
    return await snapshot(this.database, (tx) => checkPositions(tx, shard, onRead));
  }

  async unfinished({ queues, after, limit }: UnfinishedRequest): Promise<UnfinishedPage> {
    const rows = await this.database.query<UnfinishedRowOfJobs>(sql.UNFINISHED, [
      Buffer.from(after ?? '', 'hex'),
      limit,
      queues === 'all' ? null : texts(queues.map((q) => q.namespace)),
      queues === 'all' ? null : texts(queues.map((q) => q.queue)),
    ]);
    return {
      rows: rows.map((r) => ({
        ref: { namespace: r.namespace, queue: r.queue, id: r.job_id },
        keyHex: r.key,
        lookAtMs: r.look_at_ms,
        waitsFor: r.waits_for,
        reported: r.reported,
      })),
      next: rows.length < limit ? null : (rows.at(-1)?.key ?? null),
    };
  }
}

interface UnfinishedRowOfJobs {
  readonly key: string;
  readonly job_id: string;
  readonly namespace: string;
  readonly queue: string;
  readonly look_at_ms: number | null;
  readonly waits_for: string | null;
  readonly reported: boolean;
}

async function rewriteOnce(client: Connection, range: KeyRange, refolding: Refolding): Promise<Rewritten> {
  await client.query('BEGIN');
  try {
    const last = await readSlice(client, range, refolding, true);
    const rewrites = refolding.rewrites();
    await write(client, rewrites);
    await client.query('COMMIT');
    return { rows: rewrites.length, last };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Rows, then counters: the order of every writer. */
async function write(tx: Queryable, rewrites: readonly RowRewrite[]): Promise<void> {
  if (rewrites.length === 0) return;
  await tx.query(sql.REWRITE, [
    hexes(rewrites.map((r) => r.row.keyHex)),
    texts(rewrites.map((r) => r.kind)),
    texts(rewrites.map((r) => r.status)),
    ints(rewrites.map((r) => r.attempt)),
    ints(rewrites.map((r) => r.n)),
    ints(rewrites.map((r) => r.foldVersion)),
    ints(rewrites.map((r) => r.sinceMs)),
    texts(rewrites.map((r) => r.worker)),
    texts(rewrites.map((r) => r.state)),
    bools(rewrites.map((r) => r.lookNow)),
  ]);
  await addCells(tx, cellsOf(rewrites));
  const drifts = rewrites.filter((r) => r.drift);
  if (drifts.length === 0) return;
  await tx.query(sql.RECORD_DRIFTS, [
    hexes(drifts.map((r) => r.row.keyHex)),
    texts(drifts.map((r) => r.row.state)),
    texts(drifts.map((r) => r.state)),
  ]);
}
