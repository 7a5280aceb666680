import { retriesUsed } from './limits.js';
import type { Plan, Subject } from './plan.js';
import { deadLetter, planRerun } from './plan-restart.js';

/** failed: nothing to wait for. A retryable failure with retries left is scheduled; any other is dead-lettered. */
export function planFailed(subject: Subject): Plan | null {
  const { state, view, limits, policy } = subject;
  const outcome = state.attempts.get(view.attempt)?.outcome;
  if (outcome == null) return null;
  const used = retriesUsed(state);
  const final = outcome.kind === 'failed-for-good' || used >= limits.maxRetries;
  const delayMs = final ? 0 : backoffMs(subject, used + 1, outcome.retryAfterMs ?? 0);
  const draft = final
    ? deadLetter(subject, 'failed', used)
    : {
        kind: 'retry-scheduled' as const,
        attempt: view.attempt,
        reason: 'failed',
        by: 'jobwarden',
        dueMs: outcome.laneMs + delayMs,
        evidence: { delayMs, retry: used + 1, maxRetries: limits.maxRetries, backoff: policy.backoff },
      };
  return {
    waitsFor: 'decision',
    dueMs: outcome.laneMs,
    gated: false,
    planned: { kind: 'decide', action: final ? 'deadLetter' : 'retry', reason: 'failed', drafts: [draft] },
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
