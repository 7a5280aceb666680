import type { Action } from '../policy/queue-policy.js';
import type { DecisionDraft } from './decisions.js';
import { leaseOf, wasReleased } from './lease.js';
import { retriesUsed } from './limits.js';
import type { Plan, Subject, WaitsFor } from './plan.js';
import { emptyAttempt } from './state.js';
import { tokenOf } from './token.js';

/**
 * restart-requested: the old worker has the grace period to let go. A heartbeat after the request withdraws a `lost`
 * one; at the grace end, or at `released`, the job is requeued, or dead-lettered when its retries are used up.
 */
export function planRestartRequested(subject: Subject): Plan {
  const { view, state, limits, gapEndMs } = subject;
  const request = view.bearing;
  const attempt = state.attempts.get(view.attempt) ?? emptyAttempt();
  const lease = leaseOf(subject, attempt);
  const requestedMs = request?.laneMs ?? view.sinceMs;
  if (request?.reason === 'lost' && lease !== null && lease.lastSignMs > (request.seenMs ?? requestedMs)) {
    return withdrawal(subject, lease.lastSignMs);
  }
  const reason = request?.reason ?? 'lost';
  const byHand = request !== null && request.by !== 'jobwarden';
  if (wasReleased(attempt, subject)) return planRerun(subject, { reason, dueMs: requestedMs, waitsFor: 'decision', byHand });
  const graceEndMs = Math.max(requestedMs, reason === 'lost' ? gapEndMs : 0) + limits.graceMs;
  return planRerun(subject, { reason, dueMs: graceEndMs, waitsFor: 'grace', byHand });
}

function withdrawal({ view }: Subject, beatMs: number): Plan {
  return {
    waitsFor: 'decision',
    dueMs: beatMs,
    gated: false,
    planned: {
      kind: 'decide',
      action: null,
      reason: 'heartbeat',
      drafts: [
        { kind: 'restart-withdrawn', attempt: view.attempt, token: view.token, reason: 'heartbeat', by: 'jobwarden', evidence: { beatMs } },
      ],
    },
  };
}

/** incomplete: due again when `queued` comes; a heartbeat after it withdraws it. */
export function planIncomplete(subject: Subject): Plan | null {
  const { view, state } = subject;
  const attempt = state.attempts.get(view.attempt) ?? emptyAttempt();
  const lease = leaseOf(subject, attempt);
  if (lease !== null && lease.lastSignMs > (view.bearing?.seenMs ?? view.sinceMs)) return withdrawal(subject, lease.lastSignMs);
  if (state.queued === null) return null;
  return planRerun(subject, { reason: view.bearing?.reason ?? 'lost', dueMs: view.sinceMs, waitsFor: 'queued' });
}

export interface Rerun {
  readonly reason: string;
  readonly dueMs: number;
  readonly waitsFor: WaitsFor;
  /** Somebody asked for it: no level holds it back. Retries stay bounded all the same. */
  readonly byHand?: boolean;
  /** Whose level governs; `requeue` unless said. */
  readonly action?: Action;
}

/** The next attempt, or the dead letter when the retries are used up. */
export function planRerun(subject: Subject, { reason, dueMs, waitsFor, byHand = false, action = 'requeue' }: Rerun): Plan {
  const used = retriesUsed(subject.state);
  const over = used >= subject.limits.maxRetries;
  const draft = over ? deadLetter(subject, reason, used) : rerun(subject, reason);
  return {
    waitsFor,
    dueMs,
    gated: waitsFor === 'grace' || waitsFor === 'decision',
    planned: { kind: 'decide', action: byHand ? null : over ? 'deadLetter' : action, reason, drafts: [draft] },
  };
}

function rerun({ view, state, epoch, lease }: Subject, reason: string): DecisionDraft {
  const worker = state.attempts.get(view.attempt)?.starts[0]?.worker;
  if (state.queued === null && view.status !== 'incomplete') {
    return {
      kind: 'held-incomplete',
      attempt: view.attempt,
      reason,
      by: 'jobwarden',
      seenMs: Math.max(lease?.beatMs ?? 0, view.bearing?.seenMs ?? view.sinceMs),
      evidence: { missing: 'queued' },
    };
  }
  const attempt = view.attempt + 1;
  return {
    kind: 'requeued',
    attempt,
    token: tokenOf(Math.max(epoch, epochOf(view.token)), attempt),
    reason,
    by: 'jobwarden',
    ...(worker !== undefined && { previousWorker: worker }),
  };
}

function epochOf(token: number): number {
  return Math.floor(token / 2 ** 32);
}

/** The end of the retries, with the whole chain of attempts as evidence. */
export function deadLetter({ view, state, limits }: Subject, reason: string, used: number): DecisionDraft {
  return {
    kind: 'dead-lettered',
    attempt: view.attempt,
    token: view.token,
    reason,
    by: 'jobwarden',
    evidence: {
      retriesUsed: used,
      maxRetries: limits.maxRetries,
      chain: [...state.attempts].sort(([a], [b]) => a - b).map(([n, a]) => ({
        attempt: n,
        workers: a.starts.map((s) => s.worker),
        outcome: a.outcome?.kind ?? requestOf(state.decisions, n) ?? 'none',
        ...(a.outcome?.error !== undefined && { error: a.outcome.error }),
      })),
    },
  };
}

function requestOf(decisions: readonly { kind: string; attempt: number; reason: string }[], n: number): string | null {
  return decisions.findLast((d) => d.kind === 'restart-requested' && d.attempt === n)?.reason ?? null;
}
