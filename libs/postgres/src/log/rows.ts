import type { Approval, JobAccess, KnownEvent, LockedBatch, LockedJob } from '#libs/application';
import { marksOf, TerminalError } from '#libs/application';
import { emptyState, knowsFoldVersion, stateFromJson, unknownFold, type JobState, type Lease } from '#libs/domain';
import { gapsOf, type GapsRow } from '../lanes/gaps.js';

/** Rows as the statements give them. */
export interface FrameRow extends GapsRow {
  readonly lane_ms: number;
  readonly epoch: number;
  readonly actions_enabled: boolean;
  readonly restored: boolean;
  readonly observe_until_ms: number;
  readonly retention_line: number;
  readonly refusals_version: number;
  /** In force: what new rows are stored in. */
  readonly fold_version: number;
  /** Another one after a restart, a failover or a restore. */
  readonly server: string;
}
export interface LockedRow {
  readonly key: string;
  /** Where the row lies, until it is written. */
  readonly place: string;
  readonly queue_id: number;
  readonly shard: number;
  readonly period: number;
  readonly row_version: number;
  readonly fold_version: number;
  readonly open_verdicts: number;
  readonly state: string;
  readonly due_ms: number | null;
  readonly held_by: string | null;
  readonly look_at_ms: number | null;
}
/** A job seen for the first time: its row is written once, as it then stands. */
export interface NewRow {
  readonly key: string;
  readonly id: string;
  readonly queue_id: number;
  readonly shard: number;
  readonly period: number;
}
export interface KnownRow {
  readonly key: string;
  readonly event_key: string;
  readonly content_hash: string | null;
  readonly shard: number;
  readonly number: number;
  readonly refusal: string | null;
}
export interface LeaseRow {
  readonly key: string;
  readonly attempt: number;
  readonly beat_ms: number;
  readonly lease_ms: number | null;
  readonly worker_key: string | null;
  readonly progress: string | null;
}

export interface Loaded {
  readonly frame: FrameRow;
  readonly rows: readonly LockedRow[];
  /** Rows that need not be read. */
  readonly remembered: readonly LockedJob[];
  /** Of the rows. */
  readonly states: readonly JobState[];
  /** Jobs that have no row yet. */
  readonly made: readonly NewRow[];
  readonly known: readonly KnownRow[];
  readonly leases: readonly LeaseRow[];
  readonly workerBeats: ReadonlyMap<string, number>;
  readonly quarantined: ReadonlySet<string>;
  readonly approvals: ReadonlyMap<string, readonly Approval[]>;
}

/** States of the rows, in their order; work enough to be done while the server looks up what else is wanted. */
export function statesOf(rows: readonly LockedRow[]): readonly JobState[] {
  return rows.map((row) => {
    if (row.row_version === 0) return emptyState();
    if (!knowsFoldVersion(row.fold_version)) throw new TerminalError('newer_rows', unknownFold('rows were', row.fold_version));
    return stateFromJson(row.state);
  });
}

/** What `work` gets: the locked rows as domain values. */
export function lockedBatch(loaded: Loaded, access: ReadonlyMap<string, JobAccess>): LockedBatch {
  const known = grouped(loaded.known);
  const leases = grouped(loaded.leases);
  const jobs = new Map<string, LockedJob>();
  for (const [i, row] of loaded.rows.entries()) {
    const wanted = access.get(row.key);
    const state = loaded.states[i];
    if (wanted === undefined || state === undefined) continue;
    const approvals = loaded.approvals.get(row.key);
    jobs.set(row.key, {
      ref: wanted.ref,
      keyHex: row.key,
      queueId: row.queue_id,
      shard: row.shard,
      period: row.period,
      version: row.row_version,
      foldVersion: row.row_version === 0 ? loaded.frame.fold_version : row.fold_version,
      state,
      known: knownEvents(known.get(row.key)),
      leases: leasesByAttempt(leases.get(row.key), loaded.workerBeats),
      dueMs: row.due_ms,
      verdictMarks: marksOf(row.open_verdicts),
      ...(approvals !== undefined && { approvals }),
      ...(row.held_by !== null && { heldBy: row.held_by, lookAtMs: row.look_at_ms ?? 0 }),
      quarantined: loaded.quarantined.has(row.key),
    });
  }
  for (const job of loaded.remembered) {
    jobs.set(job.keyHex, { ...job, leases: leasesByAttempt(leases.get(job.keyHex), loaded.workerBeats) });
  }
  for (const row of loaded.made) {
    const wanted = access.get(row.key);
    if (wanted !== undefined) jobs.set(row.key, newJob(row, wanted, loaded.frame));
  }
  const { lane_ms, epoch, actions_enabled, restored, observe_until_ms, refusals_version: refusalsVersion } = loaded.frame;
  const recovering = restored || lane_ms < observe_until_ms;
  const actionsEnabled = actions_enabled && !recovering;
  return { laneMs: lane_ms, epoch, gaps: gapsOf(loaded.frame), actionsEnabled, recovering, refusalsVersion, jobs };
}

function newJob(row: NewRow, { ref }: JobAccess, frame: FrameRow): LockedJob {
  return {
    ref,
    keyHex: row.key,
    queueId: row.queue_id,
    shard: row.shard,
    period: row.period,
    version: 0,
    foldVersion: frame.fold_version,
    state: emptyState(),
    known: NOTHING_KNOWN,
    leases: NO_LEASES,
    dueMs: null,
    verdictMarks: 0,
    quarantined: false,
  };
}

function grouped<R extends { readonly key: string }>(rows: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const group = groups.get(row.key);
    if (group === undefined) groups.set(row.key, [row]);
    else group.push(row);
  }
  return groups;
}

const NOTHING_KNOWN: ReadonlyMap<string, KnownEvent> = new Map();
const NO_LEASES: ReadonlyMap<number, Lease> = new Map();

function knownEvents(rows: readonly KnownRow[] | undefined): ReadonlyMap<string, KnownEvent> {
  if (rows === undefined) return NOTHING_KNOWN;
  return new Map(
    rows.map((r) => [
      r.event_key,
      { contentHashHex: r.content_hash, position: { shard: r.shard, number: r.number }, refusal: r.refusal },
    ]),
  );
}

/** A lease that names a worker row is as fresh as that worker's own beat. */
function leasesByAttempt(rows: readonly LeaseRow[] | undefined, beats: ReadonlyMap<string, number>): ReadonlyMap<number, Lease> {
  if (rows === undefined) return NO_LEASES;
  return new Map(
    rows.map((r) => {
      const workerMs = r.worker_key === null ? 0 : (beats.get(r.worker_key) ?? 0);
      return [r.attempt, { beatMs: Math.max(r.beat_ms, workerMs), leaseMs: r.lease_ms }];
    }),
  );
}
