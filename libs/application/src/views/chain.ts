import type { ChainLink } from '#libs/contracts';
import type { AttemptState, Decision, JobState } from '#libs/domain';
import { iso } from './time.js';

/** Every attempt of a job, in order, with who ran it and how it ended: what a dead letter tells. */
export function chainOf(state: JobState): ChainLink[] {
  const granted = state.decisions.filter((d) => d.kind === 'requeued').map((d) => d.attempt);
  return [...new Set([1, ...state.attempts.keys(), ...granted])].sort((a, b) => a - b).map((n) => linkOf(state, n));
}

function linkOf(state: JobState, n: number): ChainLink {
  const attempt = state.attempts.get(n);
  const end = state.decisions.findLast((d) => d.attempt === n && ENDINGS.has(d.kind));
  const token = state.decisions.find((d) => d.kind === 'requeued' && d.attempt === n)?.token;
  const worker = attempt?.outcome?.worker ?? attempt?.starts[0]?.worker;
  const error = attempt?.outcome?.error;
  return {
    attempt: n,
    ...(token !== undefined && { token }),
    ended: endedOf(attempt, end),
    at: iso(attempt?.outcome?.laneMs ?? end?.laneMs ?? attempt?.lastStartMs ?? state.firstMs),
    ...(worker !== undefined && { worker }),
    ...(error !== undefined && { error: { ...error } }),
  };
}

const ENDINGS: ReadonlySet<string> = new Set(['restart-requested', 'dead-lettered']);

/** Its own fact, else what Jobwarden took it for. */
function endedOf(attempt: AttemptState | undefined, end: Decision | undefined): string {
  return attempt?.outcome?.kind ?? end?.reason ?? 'unknown';
}
