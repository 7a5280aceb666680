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
 * commit. What stands between two arrows is sent together, and carried out in this order.
 *
 * Every step that locks does so in key order, and all writers run the steps in this order: a deadlock is then an
 * accident of index pages or of a period being made, and is repeated from the first step. So is a batch of which a new
 * job was made by another writer meanwhile. Who waits for that writer's commit in order to insert holds locks of rows
 * only, and a writer that has begun to insert asks for no lock of a row any more.
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
    try {
      const locked = await this.lock(client, request, ids);
      const set = work(locked.batch);
      const positions = await this.write(client, set.writes, request, locked);
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
    const jobs = [...request.jobs].sort((a, b) => compare(a.keyHex, b.keyHex));
    const [name, lock] = request.locked === 'wait' ? ['lock_wait', sql.LOCK_WAIT] : ['lock_skip', sql.LOCK_SKIP];
    const [[frame], rows] = await Promise.all([
      tx.query<FrameRow & object>(sql.BEGIN),
      tx.prepared<LockedRow>(name, lock, [keys(jobs, (j) => j.keyHex)]),
    ]);
    if (frame === undefined) throw new Error('the installation row is missing: run the migrations');
    const access = new Map(jobs.map((j) => [j.keyHex, j]));
    const places = new Map(rows.map((r) => [r.key, r.place]));
    const missing = request.missing === 'insert' ? jobs.filter((j) => !places.has(j.keyHex)) : [];
    const reading = Promise.all([
      readKnownEvents(tx, rows, access),
      readLeases(tx, rows, request.lockLeases),
      request.lockLeases ? readHolds(tx, rows) : NOTHING_HELD,
      this.makeRows(tx, missing, frame, ids),
    ]);
    // Whatever fails here first, nobody may be left waiting for the other.
    reading.catch(() => undefined);
    const states = statesOf(rows);
    const [known, leases, quarantined, made] = await reading;
    const workerBeats = await readWorkerBeats(tx, leases, request.lockLeases);
    const loaded = { frame, rows, states, made, known, leases, workerBeats, quarantined };
    return { frame, places, batch: lockedBatch(loaded, access) };
  }

  /** Jobs without a row and without a summary are seen for the first time. */
  private async makeRows(
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
        queue_id: ids.get(`${ref.namespace}\0${ref.queue}`) ?? 0,
        shard: shardOf(Buffer.from(keyHex.slice(0, 8), 'hex'), this.options.shards),
        period,
      }));
  }

  private async write(
    tx: Connection,
    writes: readonly JobWrite[],
    request: WriteRequest,
    { frame, batch, places }: Locked,
  ): Promise<PositionLookup> {
    if (writes.length === 0) return NO_POSITIONS;
    const moved = writes.filter((w) => w.scheduleOnly);
    const folded = writes.filter((w) => !w.scheduleOnly);
    const made = folded.filter((w) => !places.has(w.job.keyHex)).sort(byKey);
    const kept = folded.filter((w) => places.has(w.job.keyHex));
    const steps: Promise<unknown>[] = [];
    if (made.length > 0) steps.push(all(made, back.insertJobs(tx, made, frame.retention_line)));
    if (kept.length > 0) steps.push(all(kept, back.updateJobs(tx, kept, places)));
    if (moved.length > 0) steps.push(all(moved, back.rescheduleJobs(tx, moved, places)));
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

const NOTHING_HELD: ReadonlySet<string> = new Set();
const NO_POSITIONS: PositionLookup = () => null;

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
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

async function all(writes: readonly JobWrite[], written: Promise<number>): Promise<void> {
  const count = await written;
  if (count !== writes.length) {
    throw new RetryableError('conflict', `${String(writes.length - count)} job row(s) changed while they were folded`);
  }
}
