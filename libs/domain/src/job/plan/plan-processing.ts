import { JOBWARDEN, type DecisionDraft } from '../events/decisions.js';
import { currentAttemptState, lastSignMs, leaseOf, ownerWaitMs, wasReleased, type Deadline } from './lease.js';
import { wronglySuspected } from './limits.js';
import { planRerun } from './plan-rerun.js';
import type { Plan, Subject } from './plan-types.js';
import type { AttemptState } from '../fold/state.js';

/**
 * processing: until the lease ends, or without a lease until `stuckAfter` (lost), or until the hard timeout (hung),
 * whichever comes first. A worker that let go needs no waiting at all.
 */
export function planProcessing(subject: Subject): Plan | null {
  const attempt = currentAttemptState(subject);
  if (wasReleased(attempt, subject)) {
    const releasedMs = attempt.releasedMs ?? subject.view.sinceMs;
    const waitMs = ownerWaitMs(subject.policy);
    return planRerun(subject, {
      reason: 'released',
      dueMs: releasedMs + waitMs,
      waitsFor: waitMs > 0 ? 'owner' : 'decision',
    });
  }
  const lost = lostAt(subject, attempt);
  const hung = hungAt(subject, attempt);
  if (hung !== null && (lost === null || hung.dueMs < lost.dueMs)) return restartPlan(subject, attempt, 'hung', hung);
  return lost === null ? null : restartPlan(subject, attempt, 'lost', lost);
}

function lostAt(subject: Subject, attempt: AttemptState): Deadline | null {
  const lease = leaseOf(subject, attempt);
  if (lease !== null) return lease;
  const { stuckAfter } = subject.limits;
  if (stuckAfter === null) return null;
  const startMs = attempt.lastStartMs ?? subject.view.sinceMs;
  return { waitsFor: 'stuck-after', dueMs: startMs + stuckAfter.ms, threshold: stuckAfter };
}

function hungAt({ limits }: Subject, attempt: AttemptState): Deadline | null {
  const threshold = limits.hardTimeout;
  if (threshold === null || attempt.firstStartMs === null) return null;
  return { waitsFor: 'hard-timeout', dueMs: attempt.firstStartMs + threshold.ms, threshold };
}

/** What made the threshold what it is, where that is more than a figure in a file. */
function taught({ state, limits, policy }: Subject, { waitsFor, threshold }: Deadline): Readonly<Record<string, unknown>> {
  const { learned } = limits;
  if (threshold.source === 'learned' && learned !== null) return { learned };
  const wrong = waitsFor === 'lease' && threshold.source !== 'job' ? wronglySuspected(state) : 0;
  return wrong === 0 ? {} : { wronglySuspected: wrong, leaseMs: policy.leaseMs };
}

function restartPlan(subject: Subject, attempt: AttemptState, verdict: 'lost' | 'hung', deadline: Deadline): Plan {
  const { view } = subject;
  const seenMs = lastSignMs(subject, attempt) ?? view.sinceMs;
  const worker = attempt.starts[0]?.worker;
  const { dueMs, threshold, waitsFor } = deadline;
  const draft: DecisionDraft = {
    kind: 'restart-requested',
    attempt: view.attempt,
    token: view.token,
    reason: verdict,
    by: JOBWARDEN,
    seenMs,
    evidence: { threshold, lastSignMs: seenMs, dueMs, ...taught(subject, deadline) },
    ...(worker !== undefined && { previousWorker: worker }),
  };
  return {
    waitsFor,
    dueMs,
    gated: true,
    planned: { kind: 'decide', action: 'requeue', verdict, reason: verdict, threshold, drafts: [draft] },
  };
}
