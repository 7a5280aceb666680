import type { Action, QueuePolicy, Threshold } from '../policy/queue-policy.js';
import type { DecisionDraft } from './decisions.js';
import type { JobLimits } from './limits.js';
import { planFailed, planRetrying } from './plan-failed.js';
import { planFinished } from './plan-finished.js';
import { planProcessing } from './plan-processing.js';
import { planRestartRequested, planIncomplete } from './plan-restart.js';
import { planWaiting } from './plan-waiting.js';
import type { JobState } from './state.js';
import type { JobView } from './view.js';

/**
 * The plan of a job: what it waits for, when that is over, and what is then decided. A pure function of the row, its
 * lease and its policy, so `look_at` is `plan.dueMs` and a reconciler that looks again sees the same plan.
 *
 *   queued ──start-by──► starved (a report)          failed ──at once──► retry-scheduled | dead-lettered
 *   processing ──lease, stuckAfter──► lost ──┐       retrying ──backoff──► requeued
 *   processing ──hard timeout──► hung ───────┤       incomplete ──what is missing──► requeued
 *   restart-requested ◄──────────────────────┘       finished ──at once──► stop-requested, for who is still out
 *   restart-requested ──grace──► requeued | dead-lettered;  a heartbeat withdraws a lost one
 *
 * Clocks: lane times only. `gapEndMs` moves leases on after a time in which nobody could have read a heartbeat.
 * Not guaranteed here: that nothing unread would change the plan; the caller compares `dueMs` with the watermark
 * where `gated` says so, and appends under the row's and the lease's lock.
 */
export interface Subject {
  readonly state: JobState;
  readonly view: JobView;
  /** The lease table's row of the current attempt. */
  readonly lease: Lease | null;
  readonly policy: QueuePolicy;
  readonly limits: JobLimits;
  /** End of the last gap of the lane that carries the leases, lane time ms; 0 = none. */
  readonly gapEndMs: number;
  /** The installation's epoch, for new tokens. */
  readonly epoch: number;
  /** Spreads waits: a number in [0, 1) from a hash of (job, attempt). */
  readonly spread: (attempt: number) => number;
}

/** The newest heartbeat of an attempt, lane time ms. */
export interface Lease {
  readonly beatMs: number;
  /** As the emitter asked; null = the policy's. */
  readonly leaseMs: number | null;
}

export type WaitsFor =
  | 'start'
  | 'lease'
  | 'stuck-after'
  | 'hard-timeout'
  | 'grace'
  | 'backoff'
  | 'queued'
  | 'decision';

export const VERDICTS = ['lost', 'hung', 'starved'] as const;
export type Verdict = (typeof VERDICTS)[number];

export type Planned =
  | { readonly kind: 'report'; readonly verdict: 'starved'; readonly threshold: Threshold }
  | {
      readonly kind: 'decide';
      /** The action whose level governs; null: goes ahead at every level (asked for by hand, or a withdrawal). */
      readonly action: Action | null;
      readonly verdict?: 'lost' | 'hung';
      readonly reason: string;
      readonly threshold?: Threshold;
      readonly drafts: readonly DecisionDraft[];
      /** Nothing is shown or recorded below act (a stop for a job that ended by itself). */
      readonly silent?: boolean;
    };

export interface Plan {
  readonly waitsFor: WaitsFor;
  /** Lane time ms; what has passed is due at once. */
  readonly dueMs: number;
  /** An event that has not been read yet could clear it: due only behind the lane's watermark. */
  readonly gated: boolean;
  readonly planned: Planned;
}

/** null: the job rests until an event changes it. `nowMs` only spaces out repeated reports. */
export function planOf(subject: Subject, nowMs: number): Plan | null {
  switch (subject.view.status) {
    case 'queued':
    case 'requeued':
      return planWaiting(subject, nowMs);
    case 'processing':
      return planProcessing(subject);
    case 'restart-requested':
      return planRestartRequested(subject);
    case 'failed':
      return planFailed(subject);
    case 'retrying':
      return planRetrying(subject);
    case 'incomplete':
      return planIncomplete(subject);
    case 'succeeded':
    case 'dead-lettered':
    case 'cancelled':
    case 'discarded':
      return planFinished(subject);
  }
}
