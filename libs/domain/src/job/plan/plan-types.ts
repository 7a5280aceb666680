import type { Action, QueuePolicy, Threshold } from '../../policy/queue-policy.js';
import type { DecisionDraft } from '../events/decisions.js';
import type { JobLimits } from './limits.js';
import type { JobState } from '../fold/state.js';
import type { JobView } from '../view/view.js';

/** All that a plan may depend on. */
export interface Subject {
  readonly state: JobState;
  readonly view: JobView;
  /** The lease table's row of the current attempt. */
  readonly lease: Lease | null;
  readonly policy: QueuePolicy;
  readonly limits: JobLimits;
  /** End of the last gap of the lane that carries the leases, lane time ms; 0 = none. */
  readonly gapEndMs: number;
  /** When a pause of the queue last ended, lane time ms: who waits for a start waits in full from then on. Default 0. */
  readonly resumedMs?: number;
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
  /** `owner: queue`: the queue's own recovery comes first. */
  | 'owner'
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
