import { Type, type Static } from 'typebox';
import { DECISION_KINDS, type DecisionKind } from '#libs/domain';
import { jobEventType } from '../vocabulary.js';
import { eventOf } from './envelope.js';
import { DeadLetteredEvent } from './outgoing.js';
import { BodyRef, count, duration, instant, name, queue, text, token, Worker } from './field.js';

/**
 * Decisions as a job's timeline shows them. Only Jobwarden and operators make them; from outside they are refused.
 * All kinds share one shape, so a reader needs no table of them.
 */
export const DecisionData = Type.Object({
  queue,
  n: Type.Integer({ minimum: 1, description: 'Number of the decision within its job, without a gap.' }),
  attempt: Type.Integer({
    minimum: 0,
    description: 'The attempt that ended (`restart-requested`, `dead-lettered`) or the one granted (`requeued`).',
  }),
  token: Type.Optional(token),
  reason: text('A stable word: `lost`, `hung`, `failed`, `backoff`, `operator` …'),
  by: name('`jobwarden`, or who asked for it.'),
  evidence: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Why, in figures: thresholds, last beat, chain of causes.' }),
  ),
  dueAt: Type.Optional(instant('When the backoff of a `retry-scheduled` passes.')),
  limits: Type.Optional(
    Type.Object(
      { maxRetries: Type.Optional(count('Retries after the first attempt.')), timeoutMs: Type.Optional(duration('Hard timeout.')) },
      { description: 'What a `limits-changed` sets.' },
    ),
  ),
  payload: Type.Optional(BodyRef),
  answers: Type.Optional(
    Type.Object({ source: Type.String(), id: Type.String() }, { description: 'The event that the decision answers.' }),
  ),
  previousWorker: Type.Optional(Worker),
});
export type DecisionData = Static<typeof DecisionData>;

/** `cancelled` is a fact's type as well; its decision carries `n`. */
const MEANING: Readonly<Record<DecisionKind, string>> = {
  'retry-scheduled': 'The failed attempt will be tried again after a backoff.',
  'held-incomplete': 'A requeue is due and there is nothing to requeue with.',
  'restart-requested': 'The attempt is taken for lost or hung; its worker has a grace period to let go.',
  'restart-withdrawn': 'The attempt showed life: the restart is off.',
  requeued: 'The next attempt is granted, with a higher token.',
  'dead-lettered': 'Failed for good, or out of retries.',
  cancelled: 'Cancelled by hand or on request.',
  discarded: 'Given up by hand.',
  'resolved-by-hand': 'Declared done by hand.',
  redriven: 'Taken up again after its end; followed by `requeued`.',
  republished: 'The command of the same attempt goes out again.',
  'stop-requested': 'A worker is told to stop an attempt.',
  patched: 'The payload was changed by hand.',
  'limits-changed': 'The job’s own limits were changed by hand.',
  'payload-erased': 'The payload was erased.',
  'write-refused': 'A late event was kept and not counted.',
  'invalidation-requested': 'The job’s cache keys and tags go out again.',
};

/** Every decision's whole event, by kind. A dead letter goes out as well, with more in it. */
export const DECISION_EVENTS = Object.fromEntries(
  DECISION_KINDS.map((kind) => [kind, kind === 'dead-lettered' ? DeadLetteredEvent : decisionEvent(kind)]),
) as Readonly<Record<DecisionKind, DecisionEventSchema>>;
export type DecisionEventSchema = ReturnType<typeof decisionEvent> | typeof DeadLetteredEvent;

function decisionEvent(kind: DecisionKind) {
  return eventOf(jobEventType(kind), DecisionData, MEANING[kind]);
}
