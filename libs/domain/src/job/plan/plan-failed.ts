import { JOBWARDEN, type DecisionDraft } from '../events/decisions.js';
import { ownerWaitMs } from './lease.js';
import { retriesUsed } from './limits.js';
import { deadLetter, planRerun } from './plan-rerun.js';
import type { Plan, Subject } from './plan-types.js';
import type { Outcome } from '../fold/state.js';

/**
 * failed: nothing to wait for. A retryable failure with retries left is scheduled; any other is dead-lettered. A queue
 * that retries by itself comes first, unless it gave up, which is a failure for good. What it has to wait for by its own word
 * (`retryAfterMs`) is no part of the time in which it should have begun.
 */
export function planFailed(subject: Subject): Plan | null {
  const { state, view, limits, policy } = subject;
  const outcome = state.attempts.get(view.attempt)?.outcome;
  if (outcome == null) return null;
  const used = retriesUsed(state);
  const final = outcome.kind === 'failed-for-good' || used >= limits.maxRetries;
  const ownerMs = outcome.kind === 'failed' ? ownerWaitMs(policy) : 0;
  const waitMs = ownerMs > 0 ? ownerMs + (outcome.retryAfterMs ?? 0) : 0;
  const draft = final ? deadLetter(subject, 'failed', used) : retry(subject, outcome, used + 1);
  return {
    waitsFor: waitMs > 0 ? 'owner' : 'decision',
    dueMs: outcome.laneMs + waitMs,
    gated: waitMs > 0,
    planned: { kind: 'decide', action: final ? 'deadLetter' : 'retry', reason: 'failed', drafts: [draft] },
  };
}

function retry(subject: Subject, outcome: Outcome, k: number): DecisionDraft {
  const { view, limits, policy } = subject;
  const delayMs = backoffMs(subject, k, outcome.retryAfterMs ?? 0);
  return {
    kind: 'retry-scheduled',
    attempt: view.attempt,
    reason: 'failed',
    by: JOBWARDEN,
    dueMs: outcome.laneMs + delayMs,
    evidence: { delayMs, retry: k, maxRetries: limits.maxRetries, backoff: policy.backoff },
  };
}

/** retrying: until the backoff that its decision recorded has passed. */
export function planRetrying(subject: Subject): Plan {
  const dueMs = subject.view.bearing?.dueMs ?? subject.view.sinceMs;
  return planRerun(subject, { reason: 'backoff', dueMs, waitsFor: 'backoff', action: 'retry' });
}

/** max(retryAfterMs, min(max, initial · factor^(k−1))) · (1 + jitter · h), ms. */
export function backoffMs({ policy, view, spread }: Subject, k: number, retryAfterMs: number): number {
  const { initialMs, factor, maxMs, jitter } = policy.backoff;
  const baseMs = Math.max(retryAfterMs, Math.min(maxMs, initialMs * factor ** (k - 1)));
  return Math.round(baseMs * (1 + jitter * spread(view.attempt)));
}
