import { JOBWARDEN } from '../events/decisions.js';
import type { Worker } from '../events/facts.js';
import type { AttemptState, JobState } from '../fold/state.js';
import type { Subject } from './plan-types.js';

/** Reason of a dead letter: whoever runs this job dies without a word. */
export const POISON_PILL = 'poison_pill';

/** An attempt that was begun and ended with nothing: no success, no failure, nobody let go, and no person stopped it. */
export interface SilentDeath {
  readonly attempt: number;
  readonly workers: readonly Worker[];
}

/**
 * Whether the job that has just been lost is a poison pill: lost `poisonAfter` times in a row, or, where that is off,
 * in each of the attempts that its retries allowed, of which one alone says nothing. Counted from the last redrive, on
 * the job's own row: whatever else its workers were running keeps its own count, and goes on.
 *
 * Not guaranteed: that it was this job which killed them. Jobs that always run beside it look the same.
 */
export function poisonDeaths(subject: Subject, retriesAreUsedUp: boolean): readonly SilentDeath[] | null {
  const { policy, state, view } = subject;
  const first = firstAttempt(state);
  const deaths = deathsInARow(state, view.attempt, first);
  if (policy.poisonAfter !== null) return deaths.length >= policy.poisonAfter ? deaths : null;
  return retriesAreUsedUp && deaths.length > 1 && deaths.length > view.attempt - first ? deaths : null;
}

/** Of those since the last redrive. */
function firstAttempt({ decisions }: JobState): number {
  const redriven = decisions.findLastIndex((d) => d.kind === 'redriven');
  return redriven === -1 ? 1 : (decisions.slice(redriven).find((d) => d.kind === 'requeued')?.attempt ?? 1);
}

/** Newest first; the newest is lost, whoever asks has seen to that. */
function deathsInARow(state: JobState, newest: number, first: number): readonly SilentDeath[] {
  const deaths: SilentDeath[] = [];
  for (let n = newest; n >= first; n -= 1) {
    const attempt = state.attempts.get(n);
    if (attempt === undefined || !diedSilently(state, n, attempt)) break;
    deaths.push({ attempt: n, workers: attempt.starts.map((start) => start.worker) });
  }
  return deaths;
}

function diedSilently({ decisions }: JobState, n: number, { starts, outcome, releasedMs }: AttemptState): boolean {
  if (starts.length === 0 || outcome !== null || releasedMs !== null) return false;
  const request = decisions.findLast((d) => d.kind === 'restart-requested' && d.attempt === n);
  // A claim, or a queue that recovers by itself, grants the next attempt without one.
  return request === undefined || (request.reason === 'lost' && request.by === JOBWARDEN);
}
