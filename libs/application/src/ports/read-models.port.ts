import type { JobRef, JobStatus, Lease } from '#libs/domain';
import type { BlackoutEvidence } from './guard-store.port.js';
import type { IncidentReads } from './incident-store.port.js';
import type { ShadowReads } from './shadow-reads.port.js';
import type { LaneGaps } from './lane-clock.port.js';
import type { Position } from './log-store.port.js';
import type { ReconciliationRow } from './reconciliation-store.port.js';

/**
 * What reports are made from. Every list is read in pages by a key that does not change while its row does, so whoever
 * follows `next` to the end sees each row that was there all the time exactly once, whatever is written meanwhile.
 * Errors: RetryableError when the database is away or the pool exhausted; TerminalError `cursor_invalid` for an `after`
 * that no page of this list gave out.
 */
export interface ReadModels {
  readonly jobs: JobReads;
  readonly queues: QueueReads;
  readonly workers: WorkerReads;
  readonly reconciliations: ReconciliationReads;
  readonly quarantine: QuarantineReads;
  readonly outgoing: OutgoingReads;
  readonly incidents: IncidentReads;
  readonly shadow: ShadowReads;
}

export interface Page {
  /** Items at most. */
  readonly limit: number;
  /** `next` of the page before; null = from the start. */
  readonly after: string | null;
}

export interface PageOf<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface JobFilter {
  readonly namespace: string;
  readonly queue?: string;
  readonly status?: JobStatus;
  readonly id?: string;
  readonly kind?: string;
  /** Who holds the current attempt. */
  readonly worker?: string;
  /** Status holds since then or later, lane time ms. */
  readonly sinceMs?: number;
}

export interface JobReads {
  list(filter: JobFilter, page: Page): Promise<PageOf<JobRow>>;
  /** null: unknown, or below the retention line. */
  one(ref: JobRef): Promise<JobDetailRow | null>;
  /** What is left of a job below the retention line; null when nothing is. */
  summary(ref: JobRef): Promise<JobSummaryRow | null>;
  /** In the order of the log; null when there is no such job. */
  timeline(ref: JobRef, page: Page): Promise<PageOf<TimelineRow> | null>;
  /** Dead-lettered ones, newest first. */
  deadLetters(scope: { readonly namespace: string; readonly queue?: string }, page: Page): Promise<PageOf<JobRow>>;
}

export interface JobRow {
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly kind: string | null;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly n: number;
  readonly waitsFor: string | null;
  readonly sinceMs: number;
  readonly lookAtMs: number | null;
  /** Why a verdict that is due is not given. */
  readonly heldBy: string | null;
  /** Something that names the job lies in quarantine. */
  readonly quarantined: boolean;
  /** The fold's state as text. */
  readonly state: string;
}

export interface JobDetailRow extends JobRow {
  readonly leases: ReadonlyMap<number, LeaseRow>;
  /** Evidence of decisions, by n: the row does not keep it. */
  readonly evidence: ReadonlyMap<number, Readonly<Record<string, unknown>>>;
  /** Lane time at the read, ends of the last gaps, epoch: what a lease's end depends on. */
  readonly nowMs: number;
  readonly gaps: LaneGaps;
  readonly epoch: number;
}

export interface LeaseRow extends Lease {
  /** JSON text as the emitter reported it. */
  readonly progress: string | null;
}

export interface JobSummaryRow {
  readonly ref: JobRef;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly token: number;
  readonly sinceMs: number;
}

export interface TimelineRow {
  readonly position: Position;
  readonly type: number;
  readonly n: number | null;
  readonly lane: string;
  readonly laneMs: number;
  readonly source: string;
  readonly id: string;
  readonly data: string;
}

export interface QueueReads {
  list(namespace: string, page: Page): Promise<PageOf<QueueRow>>;
  one(namespace: string, queue: string): Promise<QueueRow | null>;
  /**
   * What describes the database, of every queue of every namespace: for the one replica that exports it, or the sums
   * over replicas would multiply. null: this is not that one.
   */
  exported(replicaId: string): Promise<readonly QueueDepth[] | null>;
  /** What is held, by whatever holds it. */
  recovery(): Promise<RecoveryFigures>;
  /**
   * Age of the oldest transaction that keeps dead rows from being removed, ms; null where the role may not see those of
   * others.
   */
  oldestXminAgeMs(): Promise<number | null>;
}

export interface QueueRow {
  readonly namespace: string;
  readonly queue: string;
  readonly byStatus: Readonly<Record<JobStatus, number>>;
  readonly attemptsSucceeded: number;
  readonly attemptsFailed: number;
  readonly attemptsLost: number;
  /** In processing, with an open would-have that takes them for lost or hung. */
  readonly suspected: number;
  /** Since when the oldest waiting job waits, lane time ms; null = none waits. */
  readonly oldestSinceMs: number | null;
  /** Run times of all kinds: bucket → count. */
  readonly runTimes: ReadonlyMap<number, number>;
  readonly native: NativeQueueRow | null;
  /** What holds its recovery; null: nothing does. */
  readonly recovery: RecoveryRow | null;
  readonly nowMs: number;
}

export interface RecoveryRow {
  readonly heldBy: 'blackout' | 'probing';
  readonly sinceMs: number;
  /** Of a blackout: what was counted when it began. */
  readonly evidence: BlackoutEvidence | null;
}

export interface RecoveryFigures {
  /** Jobs of which a decision is due and not made, by what holds them. */
  readonly jobs: readonly { readonly by: string; readonly count: number }[];
  readonly queues: readonly { readonly queue: string; readonly by: RecoveryRow['heldBy'] }[];
}

export interface NativeQueueRow {
  readonly waiting: number | null;
  readonly oldestAgeMs: number | null;
  readonly paused: boolean | null;
  readonly reportedMs: number;
}

export interface QueueDepth {
  readonly namespace: string;
  readonly queue: string;
  readonly waiting: number;
  /** How long the verdict that has been held longest is overdue, ms; null = none is held. */
  readonly oldestUnresolvedMs: number | null;
}

export interface WorkerReads {
  list(namespace: string, page: Page): Promise<PageOf<WorkerRow>>;
  lanes(): Promise<readonly LaneRow[]>;
}

export interface WorkerRow {
  readonly namespace: string;
  readonly id: string;
  readonly incarnation: string | null;
  readonly revision: string | null;
  readonly track: string | null;
  readonly beatMs: number | null;
  readonly runtime: string | null;
  /** JSON text: what it says to hold and nobody knows. */
  readonly unknown: string | null;
  readonly holds: readonly HeldRow[];
}

export interface HeldRow {
  readonly ref: JobRef;
  readonly kind: string | null;
  readonly attempt: number;
  readonly state: string;
  readonly lease: Lease | null;
}

export interface LaneRow {
  readonly lane: number;
  readonly name: string;
  /** The rest is of a broker's lanes only. Position wanted next. */
  readonly next: number;
  /** Append time of the last record stored, ms; 0: none yet. */
  readonly readMs: number;
  readonly gapEndMs: number;
  /** The position that the next record will get, as last seen; null: not known. */
  readonly endAt: number | null;
  readonly stopped: string | null;
  /** false: given up, verdicts do not wait for it. */
  readonly holds: boolean;
}

export interface ReconciliationReads {
  list(filter: RunFilter, page: Page): Promise<PageOf<RunRow>>;
  one(id: string): Promise<RunRow | null>;
  /** Verdicts that are overdue for two looks and more, and not given. */
  unresolved(namespace: string): Promise<Unresolved>;
  verdicts(filter: VerdictFilter, page: Page): Promise<PageOf<VerdictRow>>;
}

export interface Unresolved {
  readonly count: number;
  readonly oldestMs: number | null;
}

/** Only runs with a row that fits. */
export interface RunFilter {
  readonly namespace: string;
  readonly queue?: string;
  readonly verdict?: string;
}

export interface RunRow {
  readonly id: string;
  readonly startedMs: number;
  readonly laneMs: number;
  readonly trigger: string;
  readonly looked: number;
  readonly decided: number;
  readonly wouldHave: number;
  readonly held: number;
  readonly rows: readonly ReconciliationRow[];
}

export interface VerdictFilter {
  readonly namespace: string;
  readonly queue?: string;
  readonly verdict?: string;
  readonly grade?: string;
  readonly kind?: string;
  readonly action?: string;
  readonly state?: string;
}

export interface VerdictRow {
  readonly id: string;
  readonly ref: JobRef;
  readonly attempt: number;
  readonly kind: string;
  readonly verdict: string | null;
  readonly reason: string;
  readonly action: string | null;
  readonly level: string | null;
  readonly decision: string | null;
  readonly thresholdSource: string | null;
  readonly thresholdMs: number | null;
  readonly worker: string | null;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly times: number;
  readonly grade: string;
  readonly gradedMs: number | null;
  readonly state: string;
  readonly refusal: string | null;
  readonly approval: {
    readonly by: string;
    readonly reason: string;
    readonly atMs: number;
    readonly untilMs: number;
  } | null;
}

export interface QuarantineReads {
  /** Newest first; of each entry the first `previewBytes` bytes. */
  list(filter: QuarantineFilter, page: Page): Promise<PageOf<QuarantineRow>>;
  one(id: string): Promise<QuarantineRow | null>;
}

export interface QuarantineFilter {
  /** Namespaces that the caller may see. Entries that name none belong to nobody: seen by those who see all. */
  readonly namespaces: readonly string[] | 'all';
  readonly queue?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly previewBytes: number;
}

export interface QuarantineRow {
  readonly id: string;
  readonly receivedMs: number;
  readonly lane: string;
  readonly origin: string;
  readonly reason: string;
  readonly detail: string;
  readonly namespace: string | null;
  readonly queue: string | null;
  readonly jobId: string | null;
  readonly contentType: string;
  readonly size: number;
  readonly bytes: Uint8Array;
  readonly state: string;
  readonly closedBy: string | null;
  readonly closedReason: string | null;
  readonly closedMs: number | null;
}

export interface OutgoingReads {
  /** Newest first. */
  invalidations(
    scope: { readonly namespace: string; readonly queue?: string },
    page: Page,
  ): Promise<PageOf<InvalidationRow>>;
}

export interface InvalidationRow {
  readonly position: Position;
  readonly ref: JobRef;
  readonly outcome: string;
  readonly laneMs: number;
  readonly sentMs: number;
  /** The CloudEvent as it went out (JSON). */
  readonly message: string;
}
