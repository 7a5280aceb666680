import { JOBWARDEN, type Decision, type DecisionDraft } from '../events/decisions.js';
import { currentAttemptState, lastSignMs, ownerWaitMs, wasReleased } from './lease.js';
import { BEAT_AGAIN, retriesUsed } from './limits.js';
import { backoffMs } from './plan-failed.js';
import { missingOf, planRerun } from './plan-rerun.js';
import type { Plan, Subject } from './plan-types.js';
import type { AttemptState } from '../fold/state.js';

/**
 * restart-requested: the old worker has the grace period to let go. A sign of life after the request withdraws a
 * `lost` one; at the grace end, or at `released`, the job is requeued, or dead-lettered when its retries are used up.
 */
export function planRestartRequested(subject: Subject): Plan {
  const { view, limits, policy, gapEndMs } = subject;
  const request = view.bearing;
  const attempt = currentAttemptState(subject);
  const sign = refutation(subject, attempt);
  if (sign !== null) return withdrawal(subject, sign);
  const requestedMs = request?.laneMs ?? view.sinceMs;
  const reason = request?.reason ?? 'lost';
  const by = request?.by ?? JOBWARDEN;
  // What a person asked for does not wait for the queue's own recovery.
  const waitMs = by === JOBWARDEN ? ownerWaitMs(policy) : 0;
  const graceMs = wasReleased(attempt, subject) ? 0 : limits.graceMs;
  const fromMs = Math.max(requestedMs, reason === 'lost' && graceMs > 0 ? gapEndMs : 0);
  const waitsFor = waitMs > graceMs ? 'owner' : graceMs > 0 ? 'grace' : 'decision';
  return planRerun(subject, { reason, dueMs: fromMs + Math.max(graceMs, waitMs), waitsFor, by });
}

/**
 * incomplete: due again when `queued` comes, and never when its payload was erased; a sign of life withdraws it as it does a `lost`. Where its attempt is known
 * by now to have failed, not before the backoff of that failure has passed: what failed may need the rest.
 */
export function planIncomplete(subject: Subject): Plan | null {
  const { view, state } = subject;
  const attempt = currentAttemptState(subject);
  const sign = refutation(subject, attempt);
  if (sign !== null) return withdrawal(subject, sign);
  if (missingOf(state) !== null) return null;
  const held = view.bearing;
  const restedMs = restedAtMs(subject, attempt);
  return planRerun(subject, {
    reason: held?.reason ?? 'lost',
    dueMs: Math.max(view.sinceMs, restedMs),
    waitsFor: restedMs > view.sinceMs ? 'backoff' : 'queued',
    by: held?.by ?? JOBWARDEN,
  });
}

function restedAtMs(subject: Subject, { outcome }: AttemptState): number {
  const used = retriesUsed(subject.state);
  if (outcome?.kind !== 'failed' || used >= subject.limits.maxRetries) return 0;
  return outcome.laneMs + backoffMs(subject, used + 1, outcome.retryAfterMs ?? 0);
}

interface Refutation {
  readonly reason: typeof BEAT_AGAIN | 'newer_attempt';
  readonly atMs: number;
}

/** What shows that the decision in force was wrong: a sign of life newer than any that it knew of. */
function refutation(subject: Subject, attempt: AttemptState): Refutation | null {
  const { view } = subject;
  const { bearing } = view;
  if (bearing === null) return null;
  // The queue has begun an attempt of its own: whatever was held of an older one is past.
  if (bearing.attempt < view.attempt) return { reason: 'newer_attempt', atMs: bearing.laneMs };
  if (attempt.outcome !== null || !restsOnSilence(bearing)) return null;
  const signMs = lastSignMs(subject, attempt);
  if (signMs === null || signMs <= (bearing.seenMs ?? bearing.laneMs)) return null;
  return { reason: BEAT_AGAIN, atMs: signMs };
}

/** A hung worker beats all the time, and what a person asked for stands: neither is refuted by a sign of life. */
function restsOnSilence({ by, reason }: Decision): boolean {
  return by === JOBWARDEN && (reason === 'lost' || reason === 'released');
}

function withdrawal({ view }: Subject, { reason, atMs }: Refutation): Plan {
  const draft: DecisionDraft = {
    kind: 'restart-withdrawn',
    attempt: view.attempt,
    token: view.token,
    reason,
    by: JOBWARDEN,
    ...(reason === BEAT_AGAIN && { evidence: { beatMs: atMs } }),
  };
  return {
    waitsFor: 'decision',
    dueMs: atMs,
    gated: false,
    planned: { kind: 'decide', action: null, reason, drafts: [draft] },
  };
}
