import { JOBWARDEN, type DecisionDraft } from '../events/decisions.js';
import type { AttemptFact, CancelledFact, Fact, Heartbeat } from '../events/facts.js';
import type { JobEvent } from '../fold/fold.js';
import type { JobState } from '../fold/state.js';
import { viewOf, type JobView } from '../view/view.js';
import { writeRefusal, type TokenRules, type WriteRefusal } from './write-refusal.js';

/**
 * Intake: what a fact becomes in the log, decided under the row's lock and recorded, so that the fold never asks.
 *
 *   accepted  → the fact itself (and a stop for its worker, where the job is over or its attempt was stopped)
 *   refused   → the decision `write-refused`, which keeps the fact's source and id
 *   a cancel  → the decision `cancelled`; on a finished job the fact, shown as the anomaly `cancel_after_end`
 */
export type Refusal = WriteRefusal | 'void';

export type Intake =
  | { readonly outcome: 'accepted'; readonly fact: Fact; readonly then: readonly DecisionDraft[] }
  | { readonly outcome: 'decided'; readonly draft: DecisionDraft }
  | { readonly outcome: 'refused'; readonly refusal: Refusal; readonly draft: DecisionDraft };

export interface IntakeContext extends TokenRules {
  /** May a stop go out for this job? True at level act, and always where the job was ended by hand. */
  readonly stopsAllowed: boolean;
}

export function takeIn(state: JobState, fact: Fact, context: IntakeContext): Intake {
  switch (fact.type) {
    case 'queued':
      return { outcome: 'accepted', fact, then: [] };
    case 'cancelled':
      return takeInCancel(state, fact);
    default:
      return takeInAttemptFact(state, fact, context);
  }
}

function takeInCancel(state: JobState, fact: CancelledFact): Intake {
  const view = viewOf(state);
  // First of all: a request that a newer attempt has made void contradicts nothing, not even an end.
  if (fact.attempt !== undefined && fact.attempt < view.attempt) {
    return { outcome: 'refused', refusal: 'void', draft: refusedWrite(fact, fact.attempt, 'void') };
  }
  if (view.finished) return { outcome: 'accepted', fact, then: [] };
  return {
    outcome: 'decided',
    draft: {
      kind: 'cancelled',
      attempt: view.attempt,
      reason: fact.reason ?? 'requested',
      by: fact.by ?? fact.source,
      answers: { source: fact.source, id: fact.id },
    },
  };
}

function takeInAttemptFact(state: JobState, fact: AttemptFact, context: IntakeContext): Intake {
  const refused = writeRefusal(state, fact, context);
  if (refused !== null) {
    return { outcome: 'refused', refusal: refused, draft: refusedWrite(fact, fact.attempt, refused) };
  }
  const start = fact.type === 'started' || fact.type === 'claimed';
  const then = start && context.stopsAllowed && startsTooLate(state, fact.attempt, viewOf(state)) ? [stop(fact)] : [];
  return { outcome: 'accepted', fact, then };
}

/** A start recorded after the end, or after its attempt's stop, is one that nobody told to stop. */
function startsTooLate(state: JobState, attempt: number, view: JobView): boolean {
  return view.finished || state.decisions.some((d) => d.kind === 'stop-requested' && d.attempt === attempt);
}

function stop(fact: AttemptFact): DecisionDraft {
  return {
    kind: 'stop-requested',
    attempt: fact.attempt,
    reason: 'started_after_end',
    by: JOBWARDEN,
    ...(fact.worker !== undefined && { previousWorker: fact.worker }),
  };
}

/** Whatever is refused is kept, under its own source and id. */
export function refusedWrite(fact: AttemptFact | Heartbeat | CancelledFact, attempt: number, reason: Refusal): DecisionDraft {
  return {
    kind: 'write-refused',
    attempt,
    reason,
    by: JOBWARDEN,
    evidence: { fact },
    answers: { source: fact.source, id: fact.id },
  };
}

/** The log entry of an intake, once its decision has a number. */
export function draftsOf(intake: Intake): { fact: Fact | null; drafts: readonly DecisionDraft[] } {
  return intake.outcome === 'accepted'
    ? { fact: intake.fact, drafts: intake.then }
    : { fact: null, drafts: [intake.draft] };
}

/** Gives a draft the next number of its job. */
export function numbered(draft: DecisionDraft, n: number, laneMs: number): JobEvent {
  return { kind: 'decision', decision: { ...draft, n, laneMs } };
}
