/**
 * Facts: what workers and services say happened to a job. Everything else in the log is a decision.
 *
 * Clocks. `laneMs` is the lane's time (the database's or the broker's), stamped at ingest, and the only
 * clock that deadlines are counted by. `timeMs` is the emitter's own clock: shown, and compared only
 * within one attempt, and only to find anomalies.
 */

/** A worker process as it names itself. `incarnation` changes with each start of the process. */
export interface Worker {
  readonly id: string;
  readonly incarnation?: string;
  readonly revision?: string;
  readonly track?: string;
}

/** Cache keys and tags that are no longer true once the event has happened. */
export interface Invalidates {
  readonly keys: readonly string[];
  readonly tags: readonly string[];
}

/** A body kept beside the log, by content hash (hex), or outside it, by the emitter's own reference. */
export type BodyRef = { readonly hash: string; readonly bytes: number } | { readonly ref: string };

interface FactBase {
  /** CloudEvents `source` and `id`: unique within a job. */
  readonly source: string;
  readonly id: string;
  /** Lane time in ms since the epoch. */
  readonly laneMs: number;
  /** The emitter's clock in ms since the epoch, as far as it was told. */
  readonly timeMs?: number;
  /** W3C trace context as the emitter told it: data. Of a start, that of the attempt's own span. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** The installation's epoch at intake (0 is left out); tokens are epoch × 2³² + attempt. */
  readonly epoch?: number;
}

interface AttemptFactBase extends FactBase {
  /** Counts from 1. */
  readonly attempt: number;
  /** The emitter's own token: data, never authority. */
  readonly token?: number;
  readonly worker?: Worker;
  /** Recorded at intake when the queue's policy said `owner: queue`: the queue grants attempts itself. */
  readonly ownerQueue?: boolean;
}

export interface QueuedFact extends FactBase {
  readonly type: 'queued';
  readonly kind?: string;
  readonly payload?: BodyRef;
  readonly maxRetries?: number;
  /** Not before this instant, ms since the epoch. */
  readonly notBeforeMs?: number;
  /** The job's own hard timeout in ms; beats the policy. */
  readonly timeoutMs?: number;
  readonly invalidates?: Invalidates;
}

export interface StartedFact extends AttemptFactBase {
  readonly type: 'started' | 'claimed';
  readonly worker: Worker;
  readonly leaseMs?: number;
  /** Set when the attempt's grant was redeemed through `POST …/claims`. */
  readonly claimId?: string;
}

export interface ReleasedFact extends AttemptFactBase {
  readonly type: 'released';
  readonly reason?: string;
}

export interface LeaseRenewalFailedFact extends AttemptFactBase {
  readonly type: 'lease-renewal-failed';
  readonly reason: string;
}

export interface SucceededFact extends AttemptFactBase {
  readonly type: 'succeeded';
  readonly durationMs?: number;
  readonly invalidates?: Invalidates;
}

/** What is known of an error without its bodies (stack, response), which lie beside the log. */
export interface ErrorSummary {
  readonly class: string;
  readonly message: string;
  readonly code?: string;
  readonly responseStatus?: number;
  readonly stack?: BodyRef;
}

export interface FailedFact extends AttemptFactBase {
  readonly type: 'failed';
  readonly durationMs?: number;
  readonly error: ErrorSummary;
  /** false = failed for good. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly snapshot?: BodyRef;
}

/** A request to cancel. Intake turns it into a decision; in the log as a fact it came after the end. */
export interface CancelledFact extends FactBase {
  readonly type: 'cancelled';
  readonly attempt?: number;
  readonly reason?: string;
  readonly by?: string;
}

export type AttemptFact = StartedFact | ReleasedFact | LeaseRenewalFailedFact | SucceededFact | FailedFact;
export type Fact = QueuedFact | AttemptFact | CancelledFact;
export type FactType = Fact['type'];

/** Evidence of life; goes to the lease table, not to the log. */
export interface Heartbeat extends AttemptFactBase {
  readonly type: 'heartbeat';
  readonly leaseMs?: number;
  readonly progress?: unknown;
}

/** Order of two events by (source, id): the tie-break wherever the set of events leaves a choice. */
export function compareEventIds(a: { source: string; id: string }, b: { source: string; id: string }): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
