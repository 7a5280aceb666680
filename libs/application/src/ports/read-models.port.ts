import type { JobRef, JobStatus, Lease } from '#libs/domain';
import type { DeadLetterReads } from './dead-letter-reads.port.js';
import type { IncidentReads } from './incident-store.port.js';
import type { ShadowReads } from './shadow-reads.port.js';
import type { LaneGaps } from './lane-clock.port.js';
import type { Position } from './log-store.port.js';
import type { QueueReads } from './queue-reads.port.js';
import type { ReconciliationReads } from './reconciliation-reads.port.js';
import type { TraceReads } from './trace-reads.port.js';
import type { WorkerReads } from './worker-reads.port.js';

export type * from './queue-reads.port.js';
export type * from './reconciliation-reads.port.js';
export type * from './worker-reads.port.js';

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
  readonly traces: TraceReads;
  readonly reconciliations: ReconciliationReads;
  readonly quarantine: QuarantineReads;
  readonly outgoing: OutgoingReads;
  readonly incidents: IncidentReads;
  readonly shadow: ShadowReads;
  readonly deadLetters: DeadLetterReads;
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
  /** true: only where something is due and held back. */
  readonly held?: boolean;
}

export interface JobReads {
  list(filter: JobFilter, page: Page): Promise<PageOf<JobRow>>;
  /** null: unknown, or below the retention line. */
  one(ref: JobRef): Promise<JobDetailRow | null>;
  /** What is left of a job below the retention line; null when nothing is. */
  summary(ref: JobRef): Promise<JobSummaryRow | null>;
  /** In the order of the log; null when there is no such job. */
  timeline(ref: JobRef, page: Page): Promise<PageOf<TimelineRow> | null>;
  /** Its events from which redaction or a limit may have cut something, for `cutsOf`. */
  cuts(ref: JobRef): Promise<string | null>;
  /** What lies beside the log of this job under a hash (hex); null: nothing of this job does, or its log is gone. */
  body(ref: JobRef, hash: string): Promise<BodyRow | null>;
  /** Dead-lettered ones, newest first. */
  deadLetters(scope: { readonly namespace: string; readonly queue?: string; readonly kind?: string }, page: Page): Promise<PageOf<JobRow>>;
}

export interface BodyRow {
  /** `payload`, `snapshot`: JSON. `stack`, `message`: text. */
  readonly role: string;
  /** UTF-8, as received after redaction; null: erased. */
  readonly bytes: Uint8Array | null;
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
    scope: { readonly namespace: string; readonly queue?: string; readonly id?: string },
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
