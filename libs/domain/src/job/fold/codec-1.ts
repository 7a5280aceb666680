import { inOrder } from './in-order.js';
import type { StateCodec } from './state-codec.js';
import { emptyAttempt, emptyState, type AttemptState, type JobState } from './state.js';
import type { Decision } from '../events/decisions.js';
import type { QueuedFact } from '../events/facts.js';

/** Attempts by number, decisions by n, defaults left out: that keeps a row small. */
interface StoredState {
  q?: QueuedFact;
  qa?: true;
  ce?: true;
  f?: number;
  e?: number;
  a?: (readonly [number, Partial<AttemptState>])[];
  d?: Decision[];
}

export const codec1: StateCodec = { version: 1, toJson, fromJson };

function toJson(state: JobState): string {
  const stored: StoredState = {};
  if (state.queued !== null) stored.q = inOrder(state.queued);
  if (state.queuedAgain) stored.qa = true;
  if (state.cancelAfterEnd) stored.ce = true;
  if (state.firstMs !== Number.MAX_SAFE_INTEGER) stored.f = state.firstMs;
  if (state.epoch !== Number.MAX_SAFE_INTEGER) stored.e = state.epoch;
  if (state.attempts.size > 0) stored.a = attemptsOf(state.attempts);
  if (state.decisions.length > 0) stored.d = state.decisions.map(inOrder);
  return JSON.stringify(stored);
}

function attemptsOf(attempts: JobState['attempts']): (readonly [number, Partial<AttemptState>])[] {
  const list: (readonly [number, Partial<AttemptState>])[] = [];
  for (const n of attempts.keys()) list.push([n, withoutDefaults(attempts.get(n) ?? emptyAttempt())]);
  return list.length === 1 ? list : list.sort(([x], [y]) => x - y);
}

function fromJson(text: string): JobState {
  const stored = JSON.parse(text) as StoredState;
  const state = emptyState();
  state.queued = stored.q ?? null;
  state.queuedAgain = stored.qa ?? false;
  state.cancelAfterEnd = stored.ce ?? false;
  state.firstMs = stored.f ?? Number.MAX_SAFE_INTEGER;
  state.epoch = stored.e ?? Number.MAX_SAFE_INTEGER;
  for (const [n, a] of stored.a ?? []) state.attempts.set(n, Object.assign(emptyAttempt(), a));
  state.decisions.push(...(stored.d ?? []));
  return state;
}

/**
 * Written out: going over the fields by name takes three times as long, and this is done for every event. A field that is
 * forgotten here fails the property tests of the fold, which store and read states in between.
 */
function withoutDefaults(attempt: AttemptState): Partial<AttemptState> {
  const kept: { -readonly [K in keyof AttemptState]?: AttemptState[K] } = {};
  if (attempt.starts.length > 0) kept.starts = inOrder(attempt.starts);
  if (attempt.startsOverflow) kept.startsOverflow = true;
  if (attempt.firstStartMs !== null) kept.firstStartMs = attempt.firstStartMs;
  if (attempt.lastStartMs !== null) kept.lastStartMs = attempt.lastStartMs;
  if (attempt.startTimeMs !== null) kept.startTimeMs = attempt.startTimeMs;
  if (attempt.leaseMs !== null) kept.leaseMs = attempt.leaseMs;
  if (attempt.claimId !== null) kept.claimId = attempt.claimId;
  if (attempt.claimEpoch !== null) kept.claimEpoch = attempt.claimEpoch;
  if (attempt.outcome !== null) kept.outcome = inOrder(attempt.outcome);
  if (attempt.succeededAgain) kept.succeededAgain = true;
  if (attempt.failed) kept.failed = true;
  if (attempt.succeeded) kept.succeeded = true;
  if (attempt.releasedMs !== null) kept.releasedMs = attempt.releasedMs;
  if (attempt.renewalFailedMs !== null) kept.renewalFailedMs = attempt.renewalFailedMs;
  if (attempt.ownerQueue) kept.ownerQueue = true;
  return kept;
}
