import type { ChainLink, FirstCause, Hop, Patch } from '#libs/contracts';
import { patchesOf, type AttemptState, type Decision, type JobState, type Outcome } from '#libs/domain';
import { iso } from './time.js';

/** Every attempt of a job, in order, with who ran it and how it ended: what a dead letter tells. */
export function chainOf(state: JobState): ChainLink[] {
  return attemptsOf(state).map((n) => linkOf(state, n));
}

/** The first failure that said why, also from before a redrive: what came after may be only its consequence. */
export function firstCauseOf(state: JobState): FirstCause | null {
  for (const n of attemptsOf(state)) {
    const outcome = state.attempts.get(n)?.outcome;
    if (outcome?.error !== undefined) return { attempt: n, at: iso(outcome.laneMs), error: { ...outcome.error } };
  }
  return null;
}

/** Each redrive, oldest first. */
export function hopsOf({ decisions }: JobState): Hop[] {
  return decisions.filter((d) => d.kind === 'redriven').map(({ n, laneMs, by, reason }) => ({ n, at: iso(laneMs), by, reason }));
}

/** Each change of the payload by hand, oldest first, with what it was before. */
export function patchViews(state: JobState): Patch[] {
  const patches = patchesOf(state);
  return patches.map(({ n, laneMs, by, reason, payload: after }, i) => {
    const before = patches[i - 1]?.payload ?? state.queued?.payload;
    return { n, at: iso(laneMs), by, reason, ...(before !== undefined && { before }), after };
  });
}

function attemptsOf({ decisions, attempts }: JobState): readonly number[] {
  const granted = decisions.filter((d) => d.kind === 'requeued').map((d) => d.attempt);
  return [...new Set([1, ...attempts.keys(), ...granted])].sort((a, b) => a - b);
}

function linkOf(state: JobState, n: number): ChainLink {
  const attempt = state.attempts.get(n);
  const end = state.decisions.findLast((d) => d.attempt === n && ENDINGS.has(d.kind));
  const token = state.decisions.find((d) => d.kind === 'requeued' && d.attempt === n)?.token;
  const starts = attempt?.starts ?? [];
  const worker = attempt?.outcome?.worker ?? starts[0]?.worker;
  return {
    attempt: n,
    ...(token !== undefined && { token }),
    ended: endedOf(attempt, end),
    at: iso(attempt?.outcome?.laneMs ?? end?.laneMs ?? attempt?.lastStartMs ?? state.firstMs),
    ...(worker !== undefined && { worker }),
    ...(starts.length > 1 && { workers: starts.map((start) => start.worker) }),
    ...failureOf(attempt?.outcome ?? null),
  };
}

function failureOf(outcome: Outcome | null): Pick<ChainLink, 'error' | 'durationMs' | 'retryAfterMs' | 'snapshot'> {
  if (outcome === null) return {};
  const { error, durationMs, retryAfterMs, snapshot } = outcome;
  return {
    ...(error !== undefined && { error: { ...error } }),
    ...(durationMs !== undefined && { durationMs }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(snapshot !== undefined && { snapshot }),
  };
}

const ENDINGS: ReadonlySet<string> = new Set(['restart-requested', 'dead-lettered']);

/** Its own fact, else what Jobwarden took it for. */
function endedOf(attempt: AttemptState | undefined, end: Decision | undefined): string {
  return attempt?.outcome?.kind ?? end?.reason ?? 'unknown';
}
