import { emptyAttempt, emptyState, type AttemptState, type JobState } from './state.js';
import type { Decision } from '../events/decisions.js';
import type { QueuedFact } from '../events/facts.js';

/**
 * The row's text form. Deterministic (attempts by number, decisions by n, defaults left out), so two states are equal
 * when their texts are: that is how `audit` compares, and what keeps a row small.
 */
interface StoredState {
  readonly q?: QueuedFact;
  readonly qa?: true;
  readonly ce?: true;
  readonly f?: number;
  readonly e?: number;
  readonly a?: readonly (readonly [number, Partial<AttemptState>])[];
  readonly d?: readonly Decision[];
}

export function stateToJson(state: JobState): string {
  const stored: StoredState = {
    ...(state.queued !== null && { q: sorted(state.queued) }),
    ...(state.queuedAgain && { qa: true }),
    ...(state.cancelAfterEnd && { ce: true }),
    ...(state.firstMs !== Number.MAX_SAFE_INTEGER && { f: state.firstMs }),
    ...(state.epoch !== Number.MAX_SAFE_INTEGER && { e: state.epoch }),
    ...(state.attempts.size > 0 && {
      a: [...state.attempts].sort(([x], [y]) => x - y).map(([n, a]) => [n, withoutDefaults(a)] as const),
    }),
    ...(state.decisions.length > 0 && { d: state.decisions.map(sorted) }),
  };
  return JSON.stringify(stored);
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

function withoutDefaults(attempt: AttemptState): Partial<AttemptState> {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(DEFAULT_ATTEMPT) as (keyof AttemptState)[]) {
    const value = attempt[key];
    if (key === 'starts') {
      if (attempt.starts.length > 0) kept[key] = attempt.starts.map(sorted);
    } else if (value !== DEFAULT_ATTEMPT[key]) kept[key] = sorted(value);
  }
  return kept;
}

/** Key order must not depend on which program, or which of two equal events, wrote the object. */
function sorted<T>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((v: unknown) => sorted(v)) as T;
  const source = value as Record<string, unknown>;
  const target: Record<string, unknown> = {};
  for (const key of Object.keys(source).sort()) if (source[key] !== undefined) target[key] = sorted(source[key]);
  return target as T;
}
