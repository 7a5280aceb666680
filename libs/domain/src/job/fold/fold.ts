import type { Decision } from '../events/decisions.js';
import {
  compareEventIds,
  type AttemptFact,
  type Fact,
  type FailedFact,
  type QueuedFact,
  type SucceededFact,
} from '../events/facts.js';
import { addDecision } from './fold-decisions.js';
import { addStart } from './fold-starts.js';
import { inOrder } from './in-order.js';
import { emptyAttempt, emptyState, type AttemptState, type JobState, type Outcome, type OutcomeKind } from './state.js';

/** One entry of a job's stream. */
export type JobEvent =
  | { readonly kind: 'fact'; readonly fact: Fact }
  | { readonly kind: 'decision'; readonly decision: Decision };

/** The state of a set of events; their order and repetitions do not matter. */
export function foldJob(events: Iterable<JobEvent>): JobState {
  const state = emptyState();
  for (const event of events) evolve(state, event);
  return state;
}

/** Merges one event into `state`, in place: the hot path owns the state that it has just loaded. */
export function evolve(state: JobState, event: JobEvent): void {
  if (event.kind === 'decision') {
    state.firstMs = Math.min(state.firstMs, event.decision.laneMs);
    addDecision(state.decisions, event.decision);
    return;
  }
  const { fact } = event;
  state.firstMs = Math.min(state.firstMs, fact.laneMs);
  state.epoch = Math.min(state.epoch, fact.epoch ?? 0);
  switch (fact.type) {
    case 'queued':
      addQueued(state, fact);
      return;
    case 'cancelled':
      state.cancelAfterEnd = true;
      return;
    default:
      addAttemptFact(attemptOf(state, fact.attempt), fact);
  }
}

function attemptOf(state: JobState, attempt: number): AttemptState {
  let found = state.attempts.get(attempt);
  if (found === undefined) {
    found = emptyAttempt();
    state.attempts.set(attempt, found);
  }
  return found;
}

function addQueued(state: JobState, fact: QueuedFact): void {
  const kept = state.queued;
  if (kept === null) {
    state.queued = inOrder(fact);
    return;
  }
  const order = compareEventIds(fact, kept);
  if (order === 0) return;
  state.queuedAgain = true;
  if (fact.laneMs < kept.laneMs || (fact.laneMs === kept.laneMs && order < 0)) state.queued = inOrder(fact);
}

function addAttemptFact(attempt: AttemptState, fact: AttemptFact): void {
  if (fact.ownerQueue === true) attempt.ownerQueue = true;
  switch (fact.type) {
    case 'started':
    case 'claimed':
      addStart(attempt, fact);
      return;
    case 'released':
      attempt.releasedMs = Math.max(attempt.releasedMs ?? 0, fact.laneMs);
      return;
    case 'lease-renewal-failed':
      attempt.renewalFailedMs = Math.min(attempt.renewalFailedMs ?? fact.laneMs, fact.laneMs);
      return;
    case 'succeeded':
      addSuccess(attempt, fact);
      return;
    case 'failed':
      addFailure(attempt, fact);
  }
}

function addSuccess(attempt: AttemptState, fact: SucceededFact): void {
  const kept = attempt.outcome;
  if (kept?.kind === 'succeeded' && compareEventIds(kept, fact) !== 0) attempt.succeededAgain = true;
  attempt.succeeded = true;
  attempt.outcome = better(kept, outcomeOf(fact, 'succeeded'));
}

function addFailure(attempt: AttemptState, fact: FailedFact): void {
  attempt.failed = true;
  const outcome = outcomeOf(fact, fact.retryable ? 'failed' : 'failed-for-good');
  attempt.outcome = better(attempt.outcome, {
    ...outcome,
    error: fact.error,
    ...(fact.retryAfterMs !== undefined && { retryAfterMs: fact.retryAfterMs }),
    ...(fact.snapshot !== undefined && { snapshot: fact.snapshot }),
  });
}

function outcomeOf(fact: SucceededFact | FailedFact, kind: OutcomeKind): Outcome {
  const { source, id, laneMs, timeMs, durationMs, worker } = fact;
  // In the order of the row's text, which then needs no copy.
  return {
    ...(durationMs !== undefined && { durationMs }),
    id,
    kind,
    laneMs,
    source,
    ...(timeMs !== undefined && { timeMs }),
    ...(worker !== undefined && { worker }),
  };
}

const PRECEDENCE: Record<OutcomeKind, number> = { succeeded: 0, 'failed-for-good': 1, failed: 2 };

/** Succeeded over failed for good over failed; ties by the smallest (source, id). */
function better(kept: Outcome | null, next: Outcome): Outcome {
  if (kept === null) return next;
  const rank = PRECEDENCE[next.kind] - PRECEDENCE[kept.kind];
  if (rank !== 0) return rank < 0 ? next : kept;
  return compareEventIds(next, kept) < 0 ? next : kept;
}
