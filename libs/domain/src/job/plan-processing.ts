import type { DecisionDraft } from './decisions.js';
import type { Plan, Subject } from './plan.js';
import { leaseOf, wasReleased, type Deadline } from './lease.js';
import { planRerun } from './plan-restart.js';
import { emptyAttempt, type AttemptState } from './state.js';

/**
 * processing: until the lease ends, or without a lease until `stuckAfter` (lost), or until the hard timeout (hung),
 * whichever comes first. A worker that let go needs no waiting at all.
 */
export function planProcessing(subject: Subject): Plan | null {
  const attempt = subject.state.attempts.get(subject.view.attempt) ?? emptyAttempt();
  if (wasReleased(attempt, subject)) {
    return planRerun(subject, { reason: 'released', dueMs: attempt.releasedMs ?? subject.view.sinceMs, waitsFor: 'decision' });
  }
  const lost = lostAt(subject, attempt);
  const hung = hungAt(subject, attempt);
  if (lost === null && hung === null) return null;
  if (hung !== null && (lost === null || hung.dueMs < lost.dueMs)) return restartPlan(subject, 'hung', hung);
  return lost === null ? null : restartPlan(subject, 'lost', lost);
}

function lostAt(subject: Subject, attempt: AttemptState): Deadline | null {
  const lease = leaseOf(subject, attempt);
  if (lease !== null) return lease;
  const { stuckAfter } = subject.limits;
  if (stuckAfter === null) return null;
  const startMs = attempt.lastStartMs ?? subject.view.sinceMs;
  return { waitsFor: 'stuck-after', dueMs: startMs + stuckAfter.ms, threshold: stuckAfter, lastSignMs: startMs };
}

function hungAt({ limits }: Subject, attempt: AttemptState): Deadline | null {
  const threshold = limits.hardTimeout;
  if (threshold === null || attempt.firstStartMs === null) return null;
  return {
    waitsFor: 'hard-timeout',
    dueMs: attempt.firstStartMs + threshold.ms,
    threshold,
    lastSignMs: attempt.lastStartMs ?? attempt.firstStartMs,
  };
}

function restartPlan(subject: Subject, verdict: 'lost' | 'hung', deadline: Deadline): Plan {
  const { view, state } = subject;
  const worker = state.attempts.get(view.attempt)?.starts[0]?.worker;
  const draft: DecisionDraft = {
    kind: 'restart-requested',
    attempt: view.attempt,
    token: view.token,
    reason: verdict,
    by: 'jobwarden',
    seenMs: deadline.lastSignMs,
    evidence: { threshold: deadline.threshold, lastSignMs: deadline.lastSignMs, dueMs: deadline.dueMs },
    ...(worker !== undefined && { previousWorker: worker }),
  };
  return {
    waitsFor: deadline.waitsFor,
    dueMs: deadline.dueMs,
    gated: true,
    planned: {
      kind: 'decide',
      action: 'requeue',
      verdict,
      reason: verdict,
      threshold: deadline.threshold,
      drafts: [draft],
    },
  };
}
