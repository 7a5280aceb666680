import type { Action } from '../../policy/queue-policy.js';
import { JOBWARDEN, type DecisionDraft } from '../events/decisions.js';
import type { Worker } from '../events/facts.js';
import type { AttemptState, JobState } from '../fold/state.js';
import { isPayloadGone } from '../view/erased.js';
import { currentAttemptState, lastSignMs } from './lease.js';
import { retriesUsed } from './limits.js';
import { POISON_PILL, poisonDeaths, type SilentDeath } from './poison.js';
import type { Plan, Subject, WaitsFor } from './plan-types.js';
import { epochOfToken, tokenOf } from '../events/token.js';

export interface Rerun {
  readonly reason: string;
  readonly dueMs: number;
  readonly waitsFor: WaitsFor;
  /** Who asked for it. No level holds back what a person asked for; retries stay bounded all the same. */
  readonly by?: string;
  /** Whose level governs; `requeue` unless said. */
  readonly action?: Action;
}

/**
 * The next attempt, or the dead letter when the retries are used up or the job is a poison pill. Gated: an end, a heartbeat or, where the queue
 * recovers by itself, a newer attempt that has not been read yet would take the reason away.
 */
export function planRerun(subject: Subject, rerun: Rerun): Plan {
  const { reason, dueMs, waitsFor, by = JOBWARDEN, action = 'requeue' } = rerun;
  const used = retriesUsed(subject.state);
  const usedUp = used >= subject.limits.maxRetries;
  const poison = reason === 'lost' && by === JOBWARDEN ? poisonDeaths(subject, usedUp) : null;
  const over = usedUp || poison !== null;
  const draft = over ? deadLetter(subject, reason, used, poison) : nextAttempt(subject, reason, by);
  const governs = by !== JOBWARDEN ? null : over ? 'deadLetter' : action;
  return { waitsFor, dueMs, gated: true, planned: { kind: 'decide', action: governs, reason, drafts: [draft] } };
}

/** What there is nothing to requeue with; null: all is there. */
export function missingOf(state: JobState): 'queued' | 'payload' | null {
  if (state.queued === null) return 'queued';
  return isPayloadGone(state) ? 'payload' : null;
}

function nextAttempt(subject: Subject, reason: string, by: string): DecisionDraft {
  const { view, state, epoch } = subject;
  const current = currentAttemptState(subject);
  const missing = missingOf(state);
  if (missing !== null) {
    return {
      kind: 'held-incomplete',
      attempt: view.attempt,
      reason,
      by,
      // All that was seen so far: only what comes after it may withdraw it.
      seenMs: lastSignMs(subject, current) ?? view.sinceMs,
      evidence: { missing },
    };
  }
  const attempt = view.attempt + 1;
  const worker = current.starts[0]?.worker;
  return {
    kind: 'requeued',
    attempt,
    token: tokenOf(Math.max(epoch, epochOfToken(view.token)), attempt),
    reason,
    by,
    ...(worker !== undefined && { previousWorker: worker }),
  };
}

/** The end of the retries, with the whole chain of attempts as evidence. */
export function deadLetter(
  { view, state, limits }: Subject,
  reason: string,
  used: number,
  poison: readonly SilentDeath[] | null = null,
): DecisionDraft {
  const chain = [...state.attempts]
    .sort(([a], [b]) => a - b)
    .map(([n, attempt]) => ({
      attempt: n,
      workers: workersOf(attempt),
      outcome: attempt.outcome?.kind ?? requestOf(state.decisions, n) ?? 'none',
      ...(attempt.outcome?.error !== undefined && { error: attempt.outcome.error }),
    }));
  return {
    kind: 'dead-lettered',
    attempt: view.attempt,
    token: view.token,
    reason: poison === null ? reason : POISON_PILL,
    by: JOBWARDEN,
    evidence: {
      retriesUsed: used,
      maxRetries: limits.maxRetries,
      ...(poison !== null && { owners: poison.toReversed() }),
      chain,
    },
  };
}

/** Everyone who started it; where no start was told, who told its end. */
function workersOf({ starts, outcome }: AttemptState): readonly Worker[] {
  if (starts.length > 0) return starts.map((start) => start.worker);
  return outcome?.worker === undefined ? [] : [outcome.worker];
}

function requestOf(decisions: readonly { kind: string; attempt: number; reason: string }[], n: number): string | null {
  return decisions.findLast((d) => d.kind === 'restart-requested' && d.attempt === n)?.reason ?? null;
}
