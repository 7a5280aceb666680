import type { Approval, JobAccess, LockedBatch, WriteRequest } from '#libs/application';
import { RetryableError } from '#libs/application';
import { shardOf } from '#libs/contracts';
import { knowsFoldVersion, unknownFold } from '#libs/domain';
import type { Connection } from '../database.js';
import { readGuards } from '../guards/budgets.js';
import { readPaused } from '../operate/permits.js';
import { keys } from './binary-arrays.js';
import { periodOf, type Periods } from './periods.js';
import { readApprovals, readHolds, readKnownEvents, readLeases, readSummaries, readWorkerBeats } from './reads.js';
import type { RememberedRows } from './remembered-rows.js';
import { lockedBatch, statesOf, type FrameRow, type LockedRow, type NewRow } from './rows.js';
import * as sql from './statements.js';
import * as back from './write-back.js';

/** What a batch folds on. */
export interface Locked {
  readonly frame: FrameRow;
  readonly batch: LockedBatch;
  /** Jobs that have no row yet. */
  readonly fresh: ReadonlySet<string>;
  /** null: the rows are not locked; they are by the write back, which must name their versions. */
  readonly places: back.Places | null;
}

/** A row is not what it was remembered to be: the batch is repeated on rows that are locked first. */
export class Outdated extends RetryableError {}

/** The line of a log that no period was ever dropped from: no job has left a summary. */
const NO_RETENTION = -(2 ** 31);

const NOTHING: ReadonlySet<string> = new Set();
const NO_APPROVALS: ReadonlyMap<string, readonly Approval[]> = new Map();

export type QueueNumbers = ReadonlyMap<string, number>;

/** The first half of the writer's transaction: from BEGIN to the rows, and what else their fold asks for. */
export class RowLocks {
  constructor(
    private readonly periods: Periods,
    private readonly remembered: RememberedRows,
    private readonly shards: number,
  ) {}

  /** Locks the rows that are there, in key order. */
  async lock(tx: Connection, request: WriteRequest, access: ReadonlyMap<string, JobAccess>, ids: QueueNumbers): Promise<Locked> {
    const jobs = sorted(request.jobs);
    const [name, lock] = request.locked === 'wait' ? ['lock_wait', sql.LOCK_WAIT] : ['lock_skip', sql.LOCK_SKIP];
    const [[frame], found] = await Promise.all([
      tx.query<FrameRow & object>(request.gates === true ? sql.BEGIN_CLAIM : sql.BEGIN),
      tx.prepared<LockedRow>(name, lock, [keys(jobs, (j) => j.keyHex)]),
    ]);
    inForce(frame);
    this.remembered.isOf(frame.server);
    // A reserved row is no job yet to whoever asks for one that is there.
    const rows = request.missing === 'insert' ? found : found.filter((r) => r.row_version > 0);
    const places = new Map(rows.map((r) => [r.key, r.place]));
    const missing = request.missing === 'insert' ? jobs.filter((j) => !places.has(j.keyHex)) : [];
    const older = rows.filter((r) => r.row_version > 0);
    const reading = Promise.all([
      readKnownEvents(tx, older, access),
      readLeases(tx, older, request.lockLeases),
      request.lockLeases ? readHolds(tx, older) : NOTHING,
      this.newRows(tx, missing, frame, ids),
      request.lockLeases ? readApprovals(tx, older) : NO_APPROVALS,
      request.guards === true ? readGuards(tx, older.map((r) => r.queue_id)) : null,
      request.gates === true ? readPaused(tx, [...ids.values()]) : null,
    ]);
    // Whatever fails here first, nobody may be left waiting for the other.
    reading.catch(() => undefined);
    const states = statesOf(rows);
    const [known, leases, quarantined, made, approvals, guards, paused] = await reading;
    const workerBeats = await readWorkerBeats(tx, leases, request.lockLeases);
    const loaded = { frame, rows, remembered: [], states, made, known, leases, workerBeats, quarantined, approvals };
    const batch = lockedBatch(loaded, access);
    return { frame, places, fresh: new Set(made.map((m) => m.key)), batch: { ...batch, ...(guards !== null && { guards }), ...(paused !== null && { paused }) } };
  }

  /**
   * Locks nothing: rows are taken as this process remembers them, and read where it does not. Repeats are known of the
   * latter only; of the others the log's own uniqueness tells.
   */
  async recall(tx: Connection, request: WriteRequest, access: ReadonlyMap<string, JobAccess>, ids: QueueNumbers): Promise<Locked> {
    const unknown: JobAccess[] = [];
    const remembered = request.jobs.flatMap((job) => {
      const row = this.remembered.take(job.keyHex);
      if (row === undefined) unknown.push(job);
      return row === undefined ? [] : [row];
    });
    const [[frame], rows, ownLeases] = await Promise.all([
      tx.query<FrameRow & object>(sql.BEGIN),
      tx.prepared<LockedRow>('read_rows', sql.READ_ROWS, [keys(unknown, (j) => j.keyHex)]),
      readLeases(tx, remembered.map((job) => ({ key: job.keyHex })), false),
    ]);
    inForce(frame);
    if (!this.remembered.isOf(frame.server)) throw new Outdated('conflict', 'it is another server than the rows were written to');
    const there = new Set(rows.map((r) => r.key));
    const older = rows.filter((r) => r.row_version > 0);
    const [known, leases, made] = await Promise.all([
      readKnownEvents(tx, older, access),
      readLeases(tx, older, false),
      this.newRows(tx, unknown.filter((j) => !there.has(j.keyHex)), frame, ids),
    ]);
    const all = [...ownLeases, ...leases];
    const workerBeats = await readWorkerBeats(tx, all, false);
    const states = statesOf(rows);
    const loaded = { frame, rows, remembered, states, made, known, leases: all, workerBeats, quarantined: NOTHING, approvals: NO_APPROVALS };
    return { frame, places: null, fresh: new Set(made.map((m) => m.key)), batch: lockedBatch(loaded, access) };
  }

  /**
   * Others make some of these new jobs at the same time. A large batch would lose that race again and again, so its rows
   * are made first, in a transaction of their own: there is then nothing left to insert, and locks are all it takes.
   */
  async reserve(tx: Connection, request: WriteRequest, ids: QueueNumbers): Promise<void> {
    try {
      const [frame] = await tx.query<FrameRow & object>(sql.BEGIN);
      inForce(frame);
      const rows = await this.newRows(tx, sorted(request.jobs), frame, ids);
      await back.reserveJobs(tx, rows, frame.lane_ms);
      await tx.query('COMMIT');
    } catch (error) {
      await tx.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  /** For jobs without a row and without a summary: they are seen for the first time. */
  private async newRows(
    tx: Connection,
    jobs: readonly JobAccess[],
    frame: FrameRow,
    ids: QueueNumbers,
  ): Promise<readonly NewRow[]> {
    if (jobs.length === 0) return [];
    const period = periodOf(frame.lane_ms);
    this.periods.require(period);
    const over = frame.retention_line === NO_RETENTION ? NOTHING : await readSummaries(tx, jobs);
    return jobs
      .filter((j) => !over.has(j.keyHex))
      .map(({ keyHex, ref }) => ({
        key: keyHex,
        id: ref.id,
        queue_id: ids.get(`${ref.namespace}\0${ref.queue}`) ?? 0,
        shard: shardOf(Buffer.from(keyHex.slice(0, 8), 'hex'), this.shards),
        period,
      }));
  }
}

/** Asked in every transaction: a program that the switch has left behind writes nothing more. */
function inForce(frame: FrameRow | undefined): asserts frame is FrameRow {
  if (frame === undefined) throw new Error('the installation row is missing: run the migrations');
  if (!knowsFoldVersion(frame.fold_version)) throw new RetryableError('fold_version', unknownFold('rows are', frame.fold_version));
}

function sorted(jobs: readonly JobAccess[]): JobAccess[] {
  return [...jobs].sort((a, b) => (a.keyHex < b.keyHex ? -1 : a.keyHex > b.keyHex ? 1 : 0));
}
