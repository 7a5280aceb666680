import type { Decision } from '../events/decisions.js';
import type { ErrorSummary, BodyRef, QueuedFact, Worker } from '../events/facts.js';

/**
 * What is known of a job: a map attempt → facts and a map n → decision.
 *
 * Every field is a join (minimum, maximum, union, or): merging events in another order, or twice, ends in the same
 * state. That is what makes a row a function of the set of its events, and what the property test holds us to.
 */
export interface JobState {
  /** Of several `queued` the first by (lane time, source, id); the others only set `queuedAgain`. */
  queued: QueuedFact | null;
  queuedAgain: boolean;
  /** A request to cancel came after the end. */
  cancelAfterEnd: boolean;
  /** Lane time of the earliest event, ms. */
  firstMs: number;
  /** The epoch under which the job was first seen: its first grant's token. */
  epoch: number;
  readonly attempts: Map<number, AttemptState>;
  /** Sorted by n; repeated kinds that only the newest of can matter are thinned (see `addDecision`). */
  readonly decisions: Decision[];
}

export interface AttemptState {
  /** One record per worker, sorted by worker; at most {@link MAX_STARTS}, then `startsOverflow`. */
  readonly starts: StartRecord[];
  startsOverflow: boolean;
  /** Lane time of the first and the last evidence of a start, ms. */
  firstStartMs: number | null;
  lastStartMs: number | null;
  /** Emitter's clock of the earliest start, ms. */
  startTimeMs: number | null;
  /** The longest lease that a start declared, ms. */
  leaseMs: number | null;
  /** The claim that redeemed the attempt's grant. */
  claimId: string | null;
  /** The epoch under which it was redeemed: its token is of that epoch, whatever epoch opened the grant. */
  claimEpoch: number | null;
  /** Decided by: succeeded over failed for good over failed; ties by the smallest (source, id). */
  outcome: Outcome | null;
  /** A second accepted success of this attempt exists. */
  succeededAgain: boolean;
  failed: boolean;
  succeeded: boolean;
  /** Lane time of the last `released`, ms. */
  releasedMs: number | null;
  /** Lane time of the first failed lease renewal, ms: evidence of life, and a later one must extend nothing. */
  renewalFailedMs: number | null;
  /** Granted by the queue itself (`owner: queue` at intake). */
  ownerQueue: boolean;
}

export interface StartRecord {
  worker: Worker;
  laneMs: number;
  /** Of the span that it is: what the next attempt links to. Of several the smallest. */
  traceparent?: string;
}

export type OutcomeKind = 'succeeded' | 'failed-for-good' | 'failed';

export interface Outcome {
  readonly kind: OutcomeKind;
  readonly source: string;
  readonly id: string;
  readonly laneMs: number;
  readonly timeMs?: number;
  readonly durationMs?: number;
  readonly worker?: Worker;
  readonly error?: ErrorSummary;
  readonly retryAfterMs?: number;
  readonly snapshot?: BodyRef;
}

/** Different workers kept per attempt; more set a flag and the anomaly `starts_overflow`. */
export const MAX_STARTS = 8;

export function emptyState(): JobState {
  return {
    queued: null,
    queuedAgain: false,
    cancelAfterEnd: false,
    firstMs: Number.MAX_SAFE_INTEGER,
    epoch: Number.MAX_SAFE_INTEGER,
    attempts: new Map(),
    decisions: [],
  };
}

export function emptyAttempt(): AttemptState {
  return {
    starts: [],
    startsOverflow: false,
    firstStartMs: null,
    lastStartMs: null,
    startTimeMs: null,
    leaseMs: null,
    claimId: null,
    claimEpoch: null,
    outcome: null,
    succeededAgain: false,
    failed: false,
    succeeded: false,
    releasedMs: null,
    renewalFailedMs: null,
    ownerQueue: false,
  };
}
