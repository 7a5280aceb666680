import type { ChainLink, DeadLetterView } from '#libs/contracts';
import { stateFromJson, type AttemptState, type Decision, type JobState } from '#libs/domain';
import type { JobRow } from '../ports/read-models.port.js';
import { iso } from './time.js';

/** A job that failed for good, with every attempt since the first. */
export function deadLetterView(row: JobRow): DeadLetterView {
  const state = stateFromJson(row.state);
  const decision = state.decisions.findLast((d) => d.kind === 'dead-lettered');
  const payload = state.queued?.payload;
  return {
    namespace: row.ref.namespace,
    queue: row.ref.queue,
    id: row.ref.id,
    kind: row.kind,
    attempt: row.attempt,
    n: decision?.n ?? row.n,
    at: iso(decision?.laneMs ?? row.sinceMs),
    reason: decision?.reason ?? 'unknown',
    by: decision?.by ?? 'jobwarden',
    chain: chainOf(state),
    ...(payload !== undefined && { payload }),
    redrives: state.decisions.filter((d) => d.kind === 'redriven').length,
  };
}

function chainOf(state: JobState): ChainLink[] {
  const granted = state.decisions.filter((d) => d.kind === 'requeued').map((d) => d.attempt);
  const numbers = new Set([...state.attempts.keys(), ...granted]);
  return [...numbers].sort((a, b) => a - b).map((n) => linkOf(state, n));
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
