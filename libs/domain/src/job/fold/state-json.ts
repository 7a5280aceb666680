import { emptyAttempt, emptyState, type AttemptState, type JobState } from './state.js';
import type { Decision } from '../events/decisions.js';
import type { QueuedFact } from '../events/facts.js';

/**
 * The row's text form. Deterministic (attempts by number, decisions by n, defaults left out), so two states are equal
 * when their texts are: that is how `audit` compares, and what keeps a row small.
 */
interface StoredState {
  q?: QueuedFact;
  qa?: true;
  ce?: true;
  f?: number;
  e?: number;
  a?: (readonly [number, Partial<AttemptState>])[];
  d?: Decision[];
}

export function stateToJson(state: JobState): string {
  const stored: StoredState = {};
  if (state.queued !== null) stored.q = sorted(state.queued);
  if (state.queuedAgain) stored.qa = true;
  if (state.cancelAfterEnd) stored.ce = true;
  if (state.firstMs !== Number.MAX_SAFE_INTEGER) stored.f = state.firstMs;
  if (state.epoch !== Number.MAX_SAFE_INTEGER) stored.e = state.epoch;
  if (state.attempts.size > 0) stored.a = attemptsOf(state.attempts);
  if (state.decisions.length > 0) stored.d = state.decisions.map(sorted);
  return JSON.stringify(stored);
}

function attemptsOf(attempts: JobState['attempts']): (readonly [number, Partial<AttemptState>])[] {
  const list = [...attempts].map(([n, attempt]) => [n, withoutDefaults(attempt)] as const);
  return list.length === 1 ? list : list.sort(([x], [y]) => x - y);
}

export function stateFromJson(text: string): JobState {
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

const DEFAULT_ATTEMPT = emptyAttempt();
const ATTEMPT_KEYS = Object.keys(DEFAULT_ATTEMPT) as readonly (keyof AttemptState)[];

function withoutDefaults(attempt: AttemptState): Partial<AttemptState> {
  const kept: Record<string, unknown> = {};
  for (const key of ATTEMPT_KEYS) {
    const value = attempt[key];
    if (key === 'starts') {
      if (attempt.starts.length > 0) kept[key] = attempt.starts.map(sorted);
    } else if (value !== DEFAULT_ATTEMPT[key]) kept[key] = sorted(value);
  }
  return kept;
}

/**
 * Key order must not depend on which program, or which of two equal events, wrote the object. What is in order already,
 * as all is that was read from a row, is not copied.
 */
function sorted<T>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((v: unknown) => sorted(v)) as T;
  const source = value as Record<string, unknown>;
  const keys = Object.keys(source);
  let copy: Record<string, unknown> | null = order(keys) ? null : {};
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    const item = source[key];
    const kept = sorted(item);
    if (copy === null && kept !== item) copy = Object.fromEntries(keys.slice(0, i).map((k) => [k, source[k]]));
    if (copy !== null && kept !== undefined) copy[key] = kept;
  }
  return (copy ?? source) as T;
}

/** Sorts in place, by insertion: keys are few. Answers whether there was nothing to do. */
function order(keys: string[]): boolean {
  let ordered = true;
  for (let i = 1; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    let at = i;
    for (; at > 0 && (keys[at - 1] ?? '') > key; at -= 1) keys[at] = keys[at - 1] ?? '';
    if (at === i) continue;
    keys[at] = key;
    ordered = false;
  }
  return ordered;
}
