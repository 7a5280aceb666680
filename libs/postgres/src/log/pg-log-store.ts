import type {
  Failpoint,
  JobAccess,
  JobWrite,
  LockedBatch,
  LogStore,
  PositionLookup,
  WriteRequest,
  WriteSet,
} from '#libs/application';
import { RetryableError, noFailpoint } from '#libs/application';
import { shardOf } from '#libs/contracts';
import type { Connection, Database } from '../database.js';
import { isConflict } from '../errors.js';
import { moveLane } from '../lanes/move-lane.js';
import { keys } from './binary-arrays.js';
import { COPY_EVENTS, EventRows } from './event-rows.js';
import type { QueueIds } from './queue-ids.js';
import { PeriodMissing, Periods, periodOf } from './periods.js';
import { readHolds, readKnownEvents, readLeases, readSummaries, readWorkerBeats } from './reads.js';
import { lockedBatch, statesOf, type FrameRow, type LockedRow, type NewRow } from './rows.js';
import * as sql from './statements.js';
import * as back from './write-back.js';

export interface PgLogStoreOptions {
  readonly shards: number;
  readonly failpoint?: Failpoint;
  /** Called after each commit that appended: wakes publishers and reconcilers. */
  readonly committed?: (writes: readonly JobWrite[]) => void;
}

/** Times a batch is repeated after a deadlock or a lost race before the caller hears of it. */
const MAX_TRIES = 12;

/** The line of a log that no period was ever dropped from: no job has left a summary. */
const NO_RETENTION = -(2 ** 31);

interface Locked {
  readonly frame: FrameRow;
  readonly batch: LockedBatch;
  readonly places: back.Places;
}

/**
 * The writer. One transaction: frame, lock the rows that are there (sorted) → known events, leases → `work` → rows of
 * new jobs (sorted), rows by version, leases, verdicts, bodies, counters, run times, the shards' numbers → append →
 * commit. A lane that is read by position moves before the counters. What stands between two arrows is sent together, and carried out in this order.
 *
 * Every step that locks does so in key order, and all writers run the steps in this order: a deadlock is then an
 * accident of index pages or of a period being made, and is repeated from the first step. So is a batch of which a new
 * job was made by another writer meanwhile, with its rows reserved. Who waits for that writer's commit in order to insert
 * holds locks of rows only, and a writer that has begun to insert asks for no lock of a row any more.
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
    let lost = false;
    for (let tries = 1; ; tries += 1) {
      try {
        if (lost) await this.reserve(request, ids);
        return await this.database.connected(async (client) => await this.once(client, request, ids, work));
      } catch (error) {
        if (error instanceof PeriodMissing) await this.periods.make(error.period);
        else if (!isConflict(error) || tries >= MAX_TRIES) throw error;
        lost = error instanceof LostRace;
      }
    }
  }

  /**
   * Others make some of these new jobs at the same time. A large batch would lose that race again and again, so its rows
   * are made first, in a transaction of their own: there is then nothing left to insert, and locks are all it takes.
   */
  private async reserve(request: WriteRequest, ids: ReadonlyMap<string, number>): Promise<void> {
    await this.database.connected(async (client) => {
      try {
        const [frame] = await client.query<FrameRow & object>(sql.BEGIN);
        if (frame === undefined) throw new Error(NOT_INSTALLED);
        const rows = await this.newRows(client, sorted(request.jobs), frame, ids);
        await back.reserveJobs(client, rows, frame.lane_ms);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  private async once<T>(
    client: Connection,
    request: WriteRequest,
    ids: ReadonlyMap<string, number>,
    work: (locked: LockedBatch) => WriteSet<T>,
  ): Promise<T> {
    try {
      const locked = await this.lock(client, request, ids);
      const set = work(locked.batch);
      const positions = await this.write(client, set, request, locked);
      if (set.writes.length > 0) await this.failpoint('append/commit');
      await client.query('COMMIT');
      if (set.writes.length > 0) this.options.committed?.(set.writes);
      return set.result(positions);
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  private async lock(tx: Connection, request: WriteRequest, ids: ReadonlyMap<string, number>): Promise<Locked> {
    const jobs = sorted(request.jobs);
    const [name, lock] = request.locked === 'wait' ? ['lock_wait', sql.LOCK_WAIT] : ['lock_skip', sql.LOCK_SKIP];
    const [[frame], found] = await Promise.all([
      tx.query<FrameRow & object>(sql.BEGIN),
      tx.prepared<LockedRow>(name, lock, [keys(jobs, (j) => j.keyHex)]),
    ]);
    if (frame === undefined) throw new Error(NOT_INSTALLED);
    // A reserved row is no job yet to whoever asks for one that is there.
    const rows = request.missing === 'insert' ? found : found.filter((r) => r.row_version > 0);
    const access = new Map(jobs.map((j) => [j.keyHex, j]));
    const places = new Map(rows.map((r) => [r.key, r.place]));
    const missing = request.missing === 'insert' ? jobs.filter((j) => !places.has(j.keyHex)) : [];
    const older = rows.filter((r) => r.row_version > 0);
    const reading = Promise.all([
      readKnownEvents(tx, older, access),
      readLeases(tx, older, request.lockLeases),
      request.lockLeases ? readHolds(tx, older) : NOTHING_HELD,
      this.newRows(tx, missing, frame, ids),
    ]);
    // Whatever fails here first, nobody may be left waiting for the other.
    reading.catch(() => undefined);
    const states = statesOf(rows);
    const [known, leases, quarantined, made] = await reading;
    const workerBeats = await readWorkerBeats(tx, leases, request.lockLeases);
    const loaded = { frame, rows, states, made, known, leases, workerBeats, quarantined };
    return { frame, places, batch: lockedBatch(loaded, access) };
  }

  /** For jobs without a row and without a summary: they are seen for the first time. */
  private async newRows(
    tx: Connection,
    jobs: readonly JobAccess[],
    frame: FrameRow,
    ids: ReadonlyMap<string, number>,
  ): Promise<readonly NewRow[]> {
    if (jobs.length === 0) return [];
    const period = periodOf(frame.lane_ms);
    this.periods.require(period);
    const over = frame.retention_line === NO_RETENTION ? NOTHING_HELD : await readSummaries(tx, jobs);
    return jobs
      .filter((j) => !over.has(j.keyHex))
      .map(({ keyHex, ref }) => ({
        key: keyHex,
        id: ref.id,
        queue_id: ids.get(`${ref.namespace}\0${ref.queue}`) ?? 0,
        shard: shardOf(Buffer.from(keyHex.slice(0, 8), 'hex'), this.options.shards),
        period,
      }));
  }

  private async write(
    tx: Connection,
    { writes, move }: Pick<WriteSet<unknown>, 'writes' | 'move'>,
    request: WriteRequest,
    { frame, batch, places }: Locked,
  ): Promise<PositionLookup> {
    if (writes.length === 0) {
      if (move !== undefined) await moveLane(tx, move);
      return NO_POSITIONS;
    }
    const moved = writes.filter((w) => w.scheduleOnly);
    const folded = writes.filter((w) => !w.scheduleOnly);
    const made = folded.filter((w) => !places.has(w.job.keyHex)).sort(byKey);
    const kept = folded.filter((w) => places.has(w.job.keyHex));
    const steps: Promise<unknown>[] = [];
    if (made.length > 0) steps.push(all(made, back.insertJobs(tx, made, frame.retention_line), LostRace));
    if (kept.length > 0) steps.push(all(kept, back.updateJobs(tx, kept, places)));
    if (moved.length > 0) steps.push(all(moved, back.rescheduleJobs(tx, moved, places)));
    if (move !== undefined) steps.push(moveLane(tx, move));
    steps.push(back.writeLeases(tx, writes, request.lane), back.writeVerdicts(tx, writes, batch.laneMs));
    steps.push(back.writeBodies(tx, folded), back.writeCounters(tx, folded));
    const counts = countsOf(folded);
    if (counts.size === 0) {
      await Promise.all(steps);
      return NO_POSITIONS;
    }
    const numbers = back.takeNumbers(tx, counts);
    const rows = new EventRows(folded, request.lane);
    await Promise.all([...steps, numbers]);
    const positions = rows.number(await numbers);
    await tx.copy(COPY_EVENTS, rows.bytes);
    return positions;
  }
}

const NOT_INSTALLED = 'the installation row is missing: run the migrations';
const NOTHING_HELD: ReadonlySet<string> = new Set();
const NO_POSITIONS: PositionLookup = () => null;

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sorted(jobs: readonly JobAccess[]): JobAccess[] {
  return [...jobs].sort((a, b) => compare(a.keyHex, b.keyHex));
}

function byKey(a: JobWrite, b: JobWrite): number {
  return compare(a.job.keyHex, b.job.keyHex);
}

/** Events per shard. */
function countsOf(writes: readonly JobWrite[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { job, events } of writes) {
    if (events.length > 0) counts.set(job.shard, (counts.get(job.shard) ?? 0) + events.length);
  }
  return counts;
}

/** A new job of the batch was made by another writer since it was looked for, or the retention line has moved. */
class LostRace extends RetryableError {}

async function all(
  writes: readonly JobWrite[],
  written: Promise<number>,
  Missed: new (code: 'conflict', message: string) => RetryableError = RetryableError,
): Promise<void> {
  const count = await written;
  if (count === writes.length) return;
  throw new Missed('conflict', `${String(writes.length - count)} job row(s) changed while they were folded`);
}
