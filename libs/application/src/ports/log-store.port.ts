import type { Contribution, JobEvent, JobRef, JobState, JobView, Lease, WaitsFor } from '#libs/domain';
import type { Approval } from '../log/verdict-marks.js';
import type { GuardsRead, ProbesTaken, Spend } from './guard-store.port.js';
import type { LaneGaps } from './lane-clock.port.js';
import type { LaneMove } from './lane-store.port.js';

/**
 * The log and its projection. One transaction, in these steps, each sorted: lock the rows that are there; hand them, and
 * empty ones for new jobs, to `work`, which folds and decides without any I/O; write the rows back by
 * version; insert those of new jobs; counters; position rows; append with their numbers. A new job that somebody else has inserted
 * by then is a lost race. A store may remember rows instead of locking them first, where writing them back by version locks them
 * and tells whether it was right.
 *
 * Guarantees: what `transact` resolved is committed and readable; two writers of one job never see each other's half;
 * a deadlock or a lost race is repeated from the first step (so `work` may run more than once and must not keep state).
 * Errors: RetryableError when the database is away or the pool is exhausted (`connection_exhaustion`), `lane_lost`
 * when `move` does not fit any more, and `fold_version` when the database has been switched to one that this program does not
 * know; TerminalError `newer_rows` for a row of such a version, and `unstorable` when some datum of the batch cannot be stored (the caller bisects).
 */
export interface LogStore {
  transact<T>(request: WriteRequest, work: (locked: LockedBatch) => WriteSet<T>): Promise<T>;
}

/** The last permit of a throttled queue was taken since it was looked for. */
export class NoPermit extends Error {}

export interface WriteRequest {
  /** Unique by key. */
  readonly jobs: readonly JobAccess[];
  readonly lane: Lane;
  /** `skip`: leave out rows that somebody else holds. */
  readonly locked: 'wait' | 'skip';
  /** `insert`: take unknown jobs for new ones; `ignore`: leave them out. */
  readonly missing: 'insert' | 'ignore';
  /** Lock the leases too: a decider must not decide on an older lease. */
  readonly lockLeases: boolean;
  /** Read what guards the queues' recovery too, for who decides of Jobwarden's own accord. */
  readonly guards?: boolean;
  /** Read which of the queues are paused, for who begins something by what is in memory. It is given up where its replica is halted in it for longer than three seconds. */
  readonly gates?: boolean;
}

/** 0 HTTP, 1 inside (decisions of Jobwarden's own), 2 and up Kafka partitions. */
export type Lane = number;
export const LANE_HTTP: Lane = 0;
export const LANE_INSIDE: Lane = 1;

export interface JobAccess {
  readonly ref: JobRef;
  /** 16 bytes of {@link jobKey}, as hex: the map key everywhere in memory. */
  readonly keyHex: string;
  /** Events that the batch brings: looked up so that repeats are known. Hex of 16-byte event keys. */
  readonly eventKeys: readonly string[];
}

export interface LockedBatch {
  /** Lane time now, ms: the database's clock, or the manual one. A broker's events bring their own. */
  readonly laneMs: number;
  readonly epoch: number;
  readonly gaps: LaneGaps;
  /** The stop switch, read in this transaction. */
  readonly actionsEnabled: boolean;
  /** The database was restored, and is only observed: nothing is granted, and actions are off. */
  readonly recovering: boolean;
  /** With `guards` only. */
  readonly guards?: GuardsRead;
  /** With `gates` only: numbers of the queues that are paused. */
  readonly paused?: ReadonlySet<number>;
  /** Of the list of refused revisions. */
  readonly refusalsVersion: number;
  /** By `keyHex`; a job that is absent was unknown, skipped, or lies below the retention line. */
  readonly jobs: ReadonlyMap<string, LockedJob>;
}

export interface LockedJob {
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly queueId: number;
  readonly shard: number;
  readonly period: number;
  /** 0: there is no row yet. */
  readonly version: number;
  /** The version that the row is stored in, and stays in; of a new row the one in force. */
  readonly foldVersion: number;
  /** The caller's own copy: `work` evolves it in place. */
  readonly state: JobState;
  /** What `state` amounts to, where that is known already. */
  readonly folded?: { readonly view: JobView; readonly contribution: Contribution };
  /** Events of `eventKeys` that the log has already, by event key. */
  readonly known: ReadonlyMap<string, KnownEvent>;
  /** By attempt. */
  readonly leases: ReadonlyMap<number, Lease>;
  /** What the schedule said: when a look was due, lane time ms. */
  readonly dueMs: number | null;
  /** What held it at the last look, and until when. */
  readonly heldBy?: string;
  readonly lookAtMs?: number;
  /** What was said of it, as {@link MARKS}; 0: nothing. */
  readonly verdictMarks: number;
  /** What was approved; only where the leases are locked, and the marks say so. */
  readonly approvals?: readonly Approval[];
  /** Something that names this job lies in quarantine: verdicts on it are held. */
  readonly quarantined: boolean;
}

export interface KnownEvent {
  readonly contentHashHex: string | null;
  readonly position: Position;
  /** Why it was refused then, and is again; null: it was accepted. */
  readonly refusal: string | null;
}

export interface Position {
  readonly shard: number;
  readonly number: number;
}

export interface WriteSet<T> {
  readonly writes: readonly JobWrite[];
  /** Moves a lane on in the same transaction, also when nothing else is written. Where it does not move, nothing is. */
  readonly move?: LaneMove;
  /** Tokens to take in the same transaction, sorted by queue. Where one bucket has fewer by then, all is repeated. */
  readonly spends?: readonly Spend[];
  readonly probes?: readonly ProbesTaken[];
  /** Number of a throttled queue of which a permit is taken in the same transaction. Where none is left, nothing is written: {@link NoPermit}. */
  readonly permit?: number;
  /** Erases in the same transaction whatever of these jobs' bodies lies anywhere. */
  readonly erasures?: readonly Erasure[];
  /** Built after the append, when positions are known: `positions` answers by (keyHex, event key). */
  readonly result: (positions: PositionLookup) => T;
}

export interface Erasure {
  readonly job: LockedJob;
  readonly by: string;
  readonly reason: string;
}

export type PositionLookup = (keyHex: string, eventKey: string) => Position | null;

export interface JobWrite {
  readonly job: LockedJob;
  readonly view: JobView;
  readonly events: readonly NewEvent[];
  readonly waitsFor: WaitsFor | null;
  /** Lane time ms; null: rests until an event changes it. */
  readonly lookAtMs: number | null;
  /** Who holds the current attempt, while it is held. */
  readonly worker: string | null;
  /** Before this write, null for a new row; and after it. */
  readonly before: Contribution | null;
  readonly after: Contribution;
  readonly leases: readonly LeaseWrite[];
  readonly verdicts: readonly VerdictWrite[];
  /** What came of attempts that something was said of. */
  readonly grades: readonly AttemptGrade[];
  /** Approvals that were looked at. */
  readonly settled: readonly Settlement[];
  /** Would-haves of the job that still stand do so no more. */
  readonly lapses: boolean;
  /** null: as they were. */
  readonly verdictMarks: number | null;
  /** Only the schedule changed: no fold, no new events. */
  readonly scheduleOnly: boolean;
  /** A verdict is due and not given: why, and since when (lane time ms). Only with `scheduleOnly`. */
  readonly held: Held | null;
}

export interface Held {
  /** `lane:http`, `quarantine`, `actions_off`, `blackout`, `probing`, `budget`. */
  readonly by: string;
  readonly sinceMs: number;
}

export interface NewEvent {
  readonly event: JobEvent;
  /** Hex of the 16-byte event key. */
  readonly eventKey: string;
  /** Keyed hash of type and data before redaction; null for decisions. */
  readonly contentHash: Uint8Array | null;
  /** A publisher has something to do for it. */
  readonly goesOut: boolean;
  readonly bodies: readonly NewBody[];
  /** Of a fact: the contract's `data` as JSON text, redacted, unknown fields kept; null for decisions. */
  readonly data: string | null;
  /** Where redaction has cut something out of a fact. */
  readonly redacted?: readonly string[];
}

export interface NewBody {
  readonly hash: string;
  readonly role: string;
  /** null: erased on arrival. */
  readonly bytes: Uint8Array | null;
}

export interface LeaseWrite {
  readonly attempt: number;
  readonly beatMs: number;
  readonly leaseMs: number | null;
  readonly workerKey: string | null;
  readonly progress: string | null;
  /** Whoever renews it must name this token; left out: as it was, or none. */
  readonly token?: number;
}

/**
 * What came of an attempt that something was said of. `next`: a later one was started; `beat`: a heartbeat; `sign`: any
 * other sign of life. Which of them makes a verdict wrong depends on what it says.
 */
export type GradeSign = 'succeeded' | 'failed' | 'sign' | 'beat' | 'next';

export interface AttemptGrade {
  readonly attempt: number;
  readonly sign: GradeSign;
}

/** What became of an approval at its look. */
export interface Settlement {
  readonly verdictId: number;
  readonly state: 'decided' | 'refused' | 'expired';
  /** A stable word; null where it was decided. */
  readonly refusal: string | null;
}

export interface VerdictWrite {
  readonly attempt: number;
  /** `act`: not a would-have; it was done, and may turn out wrong. */
  readonly kind: 'would-have' | 'report' | 'act';
  readonly state: 'shown' | 'proposed' | 'decided';
  /** Silence for so long confirms it, ms; null: time says nothing of it. */
  readonly confirmAfterMs: number | null;
  readonly verdict: 'lost' | 'hung' | 'starved' | null;
  readonly reason: string;
  readonly action: string | null;
  readonly level: string | null;
  readonly decision: string | null;
  readonly thresholdSource: string | null;
  readonly thresholdMs: number | null;
  readonly worker: string | null;
}
