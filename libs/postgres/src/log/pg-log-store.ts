import type {
  Failpoint,
  JobAccess,
  JobWrite,
  LockedBatch,
  LogStore,
  Position,
  WriteRequest,
  WriteSet,
} from '#libs/application';
import { RetryableError, noFailpoint } from '#libs/application';
import { shardOf } from '#libs/contracts';
import { hexes, ints, texts } from '../arrays.js';
import type { Connection, Database } from '../database.js';
import { isConflict } from '../errors.js';
import type { QueueIds } from './queue-ids.js';
import { PeriodMissing, Periods, periodOf } from './periods.js';
import { lockedBatch, type FrameRow, type KnownRow, type LeaseRow, type Loaded, type LockedRow } from './rows.js';
import * as sql from './statements.js';
import { append, rescheduleJobs, updateJobs, writeBodies, writeCounters, writeLeases, writeVerdicts } from './write-back.js';

export interface PgLogStoreOptions {
  readonly shards: number;
  readonly failpoint?: Failpoint;
  /** Called after each commit that appended: wakes publishers and reconcilers. */
  readonly committed?: (writes: readonly JobWrite[]) => void;
}

/** Times a batch is repeated after a deadlock or a lost race before the caller hears of it. */
const MAX_TRIES = 12;

/**
 * The writer. One transaction: frame → insert missing rows → lock rows (sorted) → known events, leases → `work` →
 * rows by version → leases, verdicts, counters, run times, bodies → the shards' numbers → append → commit.
 * Every step that locks does so in key order, and all writers run the steps in this order: a deadlock is then an
 * accident of index pages or of a period being made, and is repeated from the first step.
 */
export class PgLogStore implements LogStore {
  private readonly periods: Periods;
  private readonly failpoint: Failpoint;

  constructor(
    private readonly database: Database,
    private readonly queueIds: QueueIds,
    private readonly options: PgLogStoreOptions,
  ) {
    this.periods = new Periods(database);
    this.failpoint = options.failpoint ?? noFailpoint;
  }

  async transact<T>(request: WriteRequest, work: (locked: LockedBatch) => WriteSet<T>): Promise<T> {
    // A call on a job that may be unknown leaves no queue behind.
    const ids = await this.queueIds.of(request.missing === 'insert' ? request.jobs.map((j) => j.ref) : []);
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.database.connected(async (client) => await this.once(client, request, ids, work));
      } catch (error) {
        if (error instanceof PeriodMissing) await this.periods.make(error.period);
        else if (!isConflict(error) || tries >= MAX_TRIES) throw error;
      }
    }
  }

  private async once<T>(
    client: Connection,
    request: WriteRequest,
    ids: ReadonlyMap<string, number>,
    work: (locked: LockedBatch) => WriteSet<T>,
  ): Promise<T> {
    const frame = await begin(client);
    try {
      const batch = await this.load(client, request, frame, ids);
      const set = work(batch);
      const positions = await this.write(client, set.writes, request, batch.laneMs);
      if (set.writes.length > 0) await this.failpoint('append/commit');
      await client.query('COMMIT');
      if (set.writes.length > 0) this.options.committed?.(set.writes);
      return set.result((keyHex, eventKey) => positions.get(`${keyHex}/${eventKey}`) ?? null);
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  private async load(
    tx: Connection,
    request: WriteRequest,
    frame: FrameRow,
    ids: ReadonlyMap<string, number>,
  ): Promise<LockedBatch> {
    const jobs = [...request.jobs].sort((a, b) => (a.keyHex < b.keyHex ? -1 : 1));
    if (request.missing === 'insert') await this.insertMissing(tx, jobs, frame, ids);
    const keys = hexes(jobs.map((j) => j.keyHex));
    const [name, lock] = request.locked === 'wait' ? ['lock_wait', sql.LOCK_WAIT] : ['lock_skip', sql.LOCK_SKIP];
    const rows = await tx.prepared<LockedRow>(name, lock, [keys]);
    const access = new Map(jobs.map((j) => [j.keyHex, j]));
    const older = rows.filter((r) => r.row_version > 0);
    const known = await knownEvents(tx, older, access);
    const olderKeys = hexes(older.map((r) => r.key));
    const leases = older.length === 0 ? [] : await readLeases(tx, olderKeys, request.lockLeases);
    const loaded: Loaded = {
      frame,
      rows,
      known,
      leases,
      workerBeats: await readWorkerBeats(tx, leases, request.lockLeases),
      quarantined: request.lockLeases ? await readHolds(tx, olderKeys) : new Set(),
    };
    return lockedBatch(loaded, access);
  }

  private async insertMissing(
    tx: Connection,
    jobs: readonly JobAccess[],
    frame: FrameRow,
    ids: ReadonlyMap<string, number>,
  ): Promise<void> {
    const period = periodOf(frame.lane_ms);
    this.periods.require(period);
    await tx.prepared('insert_missing', sql.INSERT_MISSING, [
      hexes(jobs.map((j) => j.keyHex)),
      ints(jobs.map((j) => shardOf(Buffer.from(j.keyHex.slice(0, 8), 'hex'), this.options.shards))),
      ints(jobs.map((j) => ids.get(`${j.ref.namespace}\0${j.ref.queue}`) ?? null)),
      texts(jobs.map((j) => j.ref.id)),
      period,
    ]);
  }

  private async write(
    tx: Connection,
    writes: readonly JobWrite[],
    request: WriteRequest,
    laneMs: number,
  ): Promise<Map<string, Position>> {
    if (writes.length === 0) return new Map();
    const folded = writes.filter((w) => !w.scheduleOnly);
    const moved = writes.filter((w) => w.scheduleOnly);
    if (folded.length > 0 && (await updateJobs(tx, folded)) !== folded.length) {
      throw new RetryableError('conflict', 'a job row changed under its lock');
    }
    if (moved.length > 0) await rescheduleJobs(tx, moved);
    await writeLeases(tx, writes, request.lane);
    await writeVerdicts(tx, writes, laneMs);
    await writeCounters(tx, folded);
    await writeBodies(tx, folded);
    return await append(tx, folded, request.lane);
  }
}

async function begin(client: Connection): Promise<FrameRow> {
  const [frame] = await client.query<FrameRow & object>(sql.BEGIN);
  if (frame === undefined) throw new Error('the installation row is missing: run the migrations');
  return frame;
}

async function knownEvents(
  tx: Connection,
  rows: readonly LockedRow[],
  access: ReadonlyMap<string, JobAccess>,
): Promise<readonly KnownRow[]> {
  const wanted = rows.flatMap((row) =>
    (access.get(row.key)?.eventKeys ?? []).map((eventKey) => ({ key: row.key, eventKey, period: row.period })),
  );
  if (wanted.length === 0) return [];
  return await tx.prepared<KnownRow>('known_events', sql.KNOWN_EVENTS, [
    hexes(wanted.map((w) => w.key)),
    hexes(wanted.map((w) => w.eventKey)),
    ints(wanted.map((w) => w.period)),
  ]);
}

async function readLeases(tx: Connection, keys: string, locked: boolean): Promise<readonly LeaseRow[]> {
  return locked
    ? await tx.prepared<LeaseRow>('leases_lock', sql.LEASES_LOCK, [keys])
    : await tx.prepared<LeaseRow>('leases_read', sql.LEASES_READ, [keys]);
}

async function readWorkerBeats(
  tx: Connection,
  leases: readonly LeaseRow[],
  locked: boolean,
): Promise<ReadonlyMap<string, number>> {
  const keys = [...new Set(leases.flatMap((l) => (l.worker_key === null ? [] : [l.worker_key])))].sort();
  if (keys.length === 0) return new Map();
  const [name, text] = locked
    ? ['worker_beats_lock', sql.WORKER_BEATS_LOCK]
    : ['worker_beats_read', sql.WORKER_BEATS_READ];
  const rows = await tx.prepared<{ worker_key: string; beat_ms: number }>(name, text, [hexes(keys)]);
  return new Map(rows.map((r) => [r.worker_key, r.beat_ms]));
}

async function readHolds(tx: Connection, keys: string): Promise<ReadonlySet<string>> {
  const rows = await tx.prepared<{ key: string }>('quarantine_holds', sql.QUARANTINE_HOLDS, [keys]);
  return new Set(rows.map((r) => r.key));
}
