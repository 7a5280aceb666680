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
import type { Connection, Database } from '../database.js';
import { eraseJob } from '../erasure/erase-job.js';
import { isConflict } from '../errors.js';
import { takeTokens } from '../guards/budgets.js';
import { moveLane } from '../lanes/move-lane.js';
import { namesOfQueues, outcomeCells, writeOutcomes } from '../outcomes/outcome-cells.js';
import { runTimeCells, SideBySide, writeRunTimes } from '../outcomes/run-time-cells.js';
import { COPY_EVENTS, EventRows } from './event-rows.js';
import { Outdated, RowLocks, type Locked, type QueueNumbers } from './lock-rows.js';
import { COPY_JOBS, jobRows } from './job-rows.js';
import type { QueueIds } from './queue-ids.js';
import { PeriodMissing, Periods } from './periods.js';
import { RememberedRows } from './remembered-rows.js';
import { takePermit } from '../operate/permits.js';
import * as back from './write-back.js';
import { writeVerdicts } from './write-verdicts.js';

export interface PgLogStoreOptions {
  readonly shards: number;
  readonly failpoint?: Failpoint;
  /** Called after each commit that appended: wakes publishers and reconcilers. */
  readonly committed?: (writes: readonly JobWrite[]) => void;
}

/** Times a batch is repeated after a deadlock or a lost race before the caller hears of it. */
const MAX_TRIES = 12;

interface Batch<T> {
  readonly request: WriteRequest;
  readonly ids: QueueNumbers;
  readonly access: ReadonlyMap<string, JobAccess>;
  readonly work: (locked: LockedBatch) => WriteSet<T>;
}

/**
 * The writer. One transaction: frame, lock the rows that are there (sorted) → known events, leases → `work` → rows by
 * version, rows of new jobs (sorted), leases, verdicts, bodies, erasures, counters, run times, outcomes (with theirs), budgets, a permit, the shards' numbers →
 * append → commit. A batch of facts begins from memory instead, and its rows are locked where they are written (sorted): see
 * {@link RememberedRows}. A lane that is read by position moves before the counters. What stands between two arrows is sent
 * together, and carried out in this order.
 *
 * Every step that locks does so in key order, and all writers run the steps in this order: a deadlock is then an
 * accident of index pages or of a period being made, and is repeated from the first step. So is a batch of which a new
 * job was made by another writer meanwhile, with its rows reserved. Who waits for that writer's commit in order to insert
 * holds locks of rows only, and a writer that has begun to insert asks for no lock of a row any more.
 */
export class PgLogStore implements LogStore {
  private readonly periods: Periods;
  private readonly remembered = new RememberedRows();
  private readonly names = namesOfQueues();
  private readonly sideBySide = new SideBySide();
  private readonly rows: RowLocks;
  private readonly failpoint: Failpoint;

  constructor(
    private readonly database: Database,
    private readonly queueIds: QueueIds,
    private readonly options: PgLogStoreOptions,
  ) {
    this.periods = new Periods(database);
    this.rows = new RowLocks(this.periods, this.remembered, options.shards);
    this.failpoint = options.failpoint ?? noFailpoint;
  }

  async transact<T>(request: WriteRequest, work: (locked: LockedBatch) => WriteSet<T>): Promise<T> {
    // A call on a job that may be unknown leaves no queue behind.
    const ids = await this.queueIds.of(request.missing === 'insert' ? request.jobs.map((j) => j.ref) : []);
    const access = new Map(request.jobs.map((j) => [j.keyHex, j]));
    const trusting = this.remembered.suits(request, access);
    this.remembered.begun(access);
    try {
      return await this.tried({ request, ids, access, work }, trusting);
    } finally {
      this.remembered.over(access);
    }
  }

  private async tried<T>(batch: Batch<T>, trusting: boolean): Promise<T> {
    let [trusts, lost] = [trusting, false];
    for (let tries = 1; ; tries += 1) {
      try {
        if (lost) await this.database.connected(async (client) => await this.rows.reserve(client, batch.request, batch.ids));
        return await this.database.connected(async (client) => await this.once(client, batch, trusts));
      } catch (error) {
        if (error instanceof PeriodMissing) await this.periods.make(error.period);
        else if (trusts && isOutdated(error)) this.remembered.failed();
        else if (!isConflict(error) || tries >= MAX_TRIES) throw error;
        lost = error instanceof LostRace;
        trusts = false;
      }
    }
  }

  private async once<T>(client: Connection, { request, ids, access, work }: Batch<T>, trusts: boolean): Promise<T> {
    try {
      const locked = trusts
        ? await this.rows.recall(client, request, access, ids)
        : await this.rows.lock(client, request, access, ids);
      const set = work(locked.batch);
      const positions = await this.write(client, set, request, locked);
      if (set.writes.length > 0) await this.failpoint('append/commit');
      await client.query('COMMIT');
      if (trusts) this.remembered.succeeded();
      this.remembered.committed(set.writes);
      if (set.writes.length > 0) this.options.committed?.(set.writes);
      return set.result(positions);
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  private async write(
    tx: Connection,
    { writes, move, spends = [], probes = [], permit, erasures = [] }: Omit<WriteSet<unknown>, 'result'>,
    request: WriteRequest,
    { frame, batch, fresh, places }: Locked,
  ): Promise<PositionLookup> {
    if (writes.length === 0) {
      if (move !== undefined) await moveLane(tx, move);
      return NO_POSITIONS;
    }
    const moved = writes.filter((w) => w.scheduleOnly);
    const folded = writes.filter((w) => !w.scheduleOnly);
    const made = folded.filter((w) => fresh.has(w.job.keyHex)).sort(byKey);
    const kept = folded.filter((w) => !fresh.has(w.job.keyHex));
    const steps: Promise<unknown>[] = [];
    // Before the first insert: who inserts asks for no lock of a row any more.
    if (kept.length > 0 && places === null) steps.push(all(kept, back.updateRemembered(tx, kept.sort(byKey)), Outdated));
    if (kept.length > 0 && places !== null) steps.push(all(kept, back.updateJobs(tx, kept, places)));
    if (moved.length > 0 && places !== null) steps.push(all(moved, back.rescheduleJobs(tx, moved, places)));
    if (moved.length > 0 && places === null) throw new Outdated('conflict', 'a schedule is written under its lock only');
    if (made.length > 0) steps.push(inserted(tx.copy(COPY_JOBS, jobRows(made))));
    if (move !== undefined) steps.push(moveLane(tx, move));
    steps.push(back.writeLeases(tx, writes, request.lane), writeVerdicts(tx, writes, batch.laneMs));
    steps.push(back.writeBodies(tx, folded), back.writeCounters(tx, folded));
    const outcomes = outcomeCells(writes, batch.laneMs, this.names);
    steps.push(writeOutcomes(tx, outcomes));
    steps.push(writeRunTimes(tx, runTimeCells(writes, this.sideBySide.noted(outcomes), this.names)));
    for (const erasure of erasures) steps.push(eraseJob(tx, erasure));
    if (spends.length + probes.length > 0) steps.push(takeTokens(tx, { spends, probes }, batch.laneMs));
    if (permit !== undefined) steps.push(takePermit(tx, permit));
    const counts = countsOf(folded);
    if (counts.size === 0) {
      await Promise.all(steps);
      return NO_POSITIONS;
    }
    const numbers = back.takeNumbers(tx, counts);
    const rows = new EventRows(folded, request.lane);
    await Promise.all([...steps, numbers]);
    const { last, retentionLine } = await numbers;
    if (made.length > 0 && retentionLine !== frame.retention_line) throw new LostRace('conflict', 'the retention line has moved');
    const positions = rows.number(last);
    await tx.copy(COPY_EVENTS, rows.bytes);
    return positions;
  }
}

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

/** A new job of the batch was made by another writer since it was looked for, or the retention line has moved. */
class LostRace extends RetryableError {}

/** A guess was wrong: a row has another version by now, or the log has one of the events already. */
function isOutdated(error: unknown): boolean {
  return error instanceof Outdated || isTaken(error);
}

/** Unique violation. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

async function inserted(copied: Promise<void>): Promise<void> {
  try {
    await copied;
  } catch (error) {
    throw isTaken(error) ? new LostRace('conflict', 'another writer has made one of the new jobs') : error;
  }
}

async function all(
  writes: readonly JobWrite[],
  written: Promise<number>,
  Missed: new (code: 'conflict', message: string) => RetryableError = RetryableError,
): Promise<void> {
  const count = await written;
  if (count === writes.length) return;
  throw new Missed('conflict', `${String(writes.length - count)} job row(s) changed while they were folded`);
}
