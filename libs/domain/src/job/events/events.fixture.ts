import { tokenOf } from './token.js';
import type { Decision, DecisionKind } from './decisions.js';
import type {
  CancelledFact,
  FailedFact,
  LeaseRenewalFailedFact,
  QueuedFact,
  ReleasedFact,
  StartedFact,
  SucceededFact,
} from './facts.js';
import { foldJob, type JobEvent } from '../fold/fold.js';
import type { JobState } from '../fold/state.js';

/**
 * Events for tests. An id says what the event is, so two makers' events differ and the same maker's twice is a repeat;
 * `id` tells two of a kind apart. Lane time is 0 unless a test is about time.
 */
const SOURCE = 'test';

type Event<F> = { readonly kind: 'fact'; readonly fact: F };

function fact<F extends { readonly id: string }>(defaults: F, over: Partial<F>): Event<F> {
  return { kind: 'fact', fact: { ...defaults, ...over } };
}

export function queued(over: Partial<QueuedFact> = {}): Event<QueuedFact> {
  return fact({ type: 'queued', source: SOURCE, id: 'queued', laneMs: 0 }, over);
}

export function started(attempt = 1, over: Partial<StartedFact> = {}): Event<StartedFact> {
  const worker = over.worker ?? { id: `w${String(attempt)}` };
  const id = `started/${String(attempt)}/${worker.id}/${worker.incarnation ?? ''}`;
  return fact({ type: 'started', source: SOURCE, id, laneMs: 0, attempt, worker }, over);
}

/** The start of an attempt whose grant was redeemed through claims. */
export function claimed(attempt = 1, over: Partial<StartedFact> = {}): Event<StartedFact> {
  const n = String(attempt);
  return started(attempt, { type: 'claimed', id: `claimed/${n}`, claimId: `claim-${n}`, ...over });
}

export function released(attempt = 1, over: Partial<ReleasedFact> = {}): Event<ReleasedFact> {
  return fact({ type: 'released', source: SOURCE, id: `released/${String(attempt)}`, laneMs: 0, attempt }, over);
}

export function renewalFailed(attempt = 1, over: Partial<LeaseRenewalFailedFact> = {}): Event<LeaseRenewalFailedFact> {
  const id = `renewal-failed/${String(attempt)}`;
  return fact({ type: 'lease-renewal-failed', source: SOURCE, id, laneMs: 0, attempt, reason: 'timeout' }, over);
}

export function succeeded(attempt = 1, over: Partial<SucceededFact> = {}): Event<SucceededFact> {
  return fact({ type: 'succeeded', source: SOURCE, id: `succeeded/${String(attempt)}`, laneMs: 0, attempt }, over);
}

export function failed(attempt = 1, over: Partial<FailedFact> = {}): Event<FailedFact> {
  const error = { class: 'Error', message: 'no' };
  const id = `failed/${String(attempt)}`;
  return fact({ type: 'failed', source: SOURCE, id, laneMs: 0, attempt, error, retryable: true }, over);
}

export function failedForGood(attempt = 1, over: Partial<FailedFact> = {}): Event<FailedFact> {
  return failed(attempt, { id: `failed-for-good/${String(attempt)}`, retryable: false, ...over });
}

/** A request to cancel, as it stands in the log: it came after the end. */
export function cancelRequest(over: Partial<CancelledFact> = {}): Event<CancelledFact> {
  return fact({ type: 'cancelled', source: SOURCE, id: 'cancel', laneMs: 0 }, over);
}

/** The decision number `n`. A grant gets its token, everything else is optional. */
export function decided(n: number, kind: DecisionKind, attempt = 1, over: Partial<Decision> = {}): JobEvent {
  const token = kind === 'requeued' ? { token: tokenOf(0, attempt) } : {};
  return {
    kind: 'decision',
    decision: { n, kind, attempt, reason: 'test', by: 'jobwarden', laneMs: 0, ...token, ...over },
  };
}

/** A job with this history. */
export function job(...events: readonly JobEvent[]): JobState {
  return foldJob(events);
}
