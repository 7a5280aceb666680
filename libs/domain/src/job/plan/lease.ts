import type { QueuePolicy, Threshold } from '../../policy/queue-policy.js';
import type { Subject } from './plan-types.js';
import { emptyAttempt, type AttemptState } from '../fold/state.js';

export interface Deadline {
  readonly waitsFor: 'lease' | 'stuck-after' | 'hard-timeout';
  readonly dueMs: number;
  readonly threshold: Threshold;
}

export function currentAttemptState({ state, view }: Subject): AttemptState {
  return state.attempts.get(view.attempt) ?? emptyAttempt();
}

/** The lease's end, or null where the attempt is under none. */
export function leaseOf(subject: Subject, attempt: AttemptState): Deadline | null {
  const { lease, limits, policy, gapEndMs, view } = subject;
  if (policy.heartbeats === 'none') return null;
  const declared = lease !== null || attempt.leaseMs !== null;
  if (!declared && policy.heartbeats !== 'expected') return null;
  const ownMs = lease?.leaseMs ?? attempt.leaseMs;
  const threshold: Threshold = ownMs === null ? limits.lease : { source: 'job', ms: ownMs };
  const signMs = lastSignMs(subject, attempt) ?? view.sinceMs;
  return { waitsFor: 'lease', dueMs: Math.max(signMs, gapEndMs) + threshold.ms, threshold };
}

/** Until when the current attempt's worker is under its lease; null: it is under none, or has let go. */
export function leaseEndMs(subject: Subject): number | null {
  const attempt = currentAttemptState(subject);
  return wasReleased(attempt, subject) ? null : (leaseOf(subject, attempt)?.dueMs ?? null);
}

/**
 * The last sign of life of the current attempt, lane time ms: a start, or a heartbeat where the policy counts them. A
 * failed lease renewal or a release shows that somebody had started, but extends nothing. null: no sign was seen.
 */
export function lastSignMs({ lease, policy }: Subject, attempt: AttemptState): number | null {
  const beatMs = policy.heartbeats === 'none' ? null : (lease?.beatMs ?? null);
  if (beatMs === null && attempt.lastStartMs === null) return attempt.renewalFailedMs ?? attempt.releasedMs;
  return Math.max(beatMs ?? 0, attempt.lastStartMs ?? 0);
}

/** Let go, and nobody has taken the same attempt up since. */
export function wasReleased(attempt: AttemptState, subject: Subject): boolean {
  if (attempt.releasedMs === null) return false;
  const signs = Math.max(attempt.lastStartMs ?? 0, subject.lease?.beatMs ?? 0);
  return attempt.releasedMs >= signs;
}

/** What the queue has for its own recovery before Jobwarden steps in, ms. */
export function ownerWaitMs(policy: QueuePolicy): number {
  return policy.owner === 'queue' ? policy.ownerWaitMs : 0;
}

/** When a lease of that length ended, begun with that sign: for looking back, where no policy of then is known any more. */
export function leaseEndAfter(signMs: number, leaseMs: number): number {
  return signMs + leaseMs;
}
