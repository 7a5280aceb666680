import type { BodyRef, Worker } from './facts.js';

/**
 * Decisions: made by Jobwarden, or by an operator through it; never accepted from outside. Each is numbered under
 * the row's lock on the fold of everything committed, so (job, n) is its id.
 */
export const BY_HAND = ['cancelled', 'discarded', 'resolved-by-hand'] as const;
export const BEARING = [
  'retry-scheduled',
  'held-incomplete',
  'restart-requested',
  'restart-withdrawn',
  'requeued',
  'dead-lettered',
] as const;
export const SILENT = [
  'redriven',
  'republished',
  'stop-requested',
  'patched',
  'limits-changed',
  'payload-erased',
  'write-refused',
  'invalidation-requested',
] as const;

export type ByHandKind = (typeof BY_HAND)[number];
export type BearingKind = (typeof BEARING)[number];
export type DecisionKind = ByHandKind | BearingKind | (typeof SILENT)[number];
export const DECISION_KINDS: readonly DecisionKind[] = [...BY_HAND, ...BEARING, ...SILENT];

/** What a decision changes of a job's own limits; of each limit the highest n wins. */
export interface LimitsChange {
  readonly maxRetries?: number;
  readonly timeoutMs?: number;
}

/** A decision before it has a number. */
export interface DecisionDraft {
  readonly kind: DecisionKind;
  /** The attempt that ended (`restart-requested`, `dead-lettered` …) or the one granted (`requeued`). */
  readonly attempt: number;
  /** Of the attempt granted. */
  readonly token?: number;
  /** A stable word: `lost`, `hung`, `failed`, `backoff`, `operator` … */
  readonly reason: string;
  /** `jobwarden`, or who asked for it. */
  readonly by: string;
  /** Why, in figures: thresholds, last beat, chain of causes. Kept in the log only; the fold never reads it. */
  readonly evidence?: Readonly<Record<string, unknown>>;
  /** The last sign of life that the decision knew of, lane time ms: a newer one withdraws it. */
  readonly seenMs?: number;
  /** Of `retry-scheduled`: when the backoff passes, lane time ms. */
  readonly dueMs?: number;
  readonly limits?: LimitsChange;
  /** Of `patched`: what the attempts after it run with. */
  readonly payload?: BodyRef;
  /** The event that a decision answers (`write-refused`, a requested `cancelled`) lends it its source and id. */
  readonly answers?: { readonly source: string; readonly id: string };
  readonly previousWorker?: Worker;
}

export interface Decision extends DecisionDraft {
  /** Counts from 1 within the job, without a gap. */
  readonly n: number;
  /** Lane time of the append, ms. */
  readonly laneMs: number;
}

/** `by` of a decision that nobody asked for. */
export const JOBWARDEN = 'jobwarden';

/** `source` of the decisions that answer no event of somebody else's. */
export const DECISION_SOURCE = 'jobwarden';

/** The decision's identity in the log: (source, id) unique within the job. */
export function decisionEventId(decision: Decision): { source: string; id: string } {
  return decision.answers ?? { source: DECISION_SOURCE, id: `decision/${String(decision.n)}` };
}

export function isByHand(kind: DecisionKind): kind is ByHandKind {
  return (BY_HAND as readonly string[]).includes(kind);
}

export function isBearing(kind: DecisionKind): kind is BearingKind {
  return (BEARING as readonly string[]).includes(kind);
}
