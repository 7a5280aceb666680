import { JOBWARDEN } from '../events/decisions.js';
import { emptyAttempt, type AttemptState, type JobState } from '../fold/state.js';
import { teachesLatency } from './anomalies.js';
import type { JobView } from './view.js';

const NONE: readonly number[] = [];

/**
 * How long attempts had been watched, ms, that were given up for their run time and would have run longer: their end
 * came late and beside another one, or nobody ever brought the job to an end, so that its runs may all have been cut.
 *
 * Not among them: who fell silent under a lease (it died), whose end teaches a run time, who failed, and who was
 * followed by an attempt that succeeded (this one died, or its own end would have come). What is not decided yet counts
 * for nothing either way.
 */
export function givenUpRuns(state: JobState, view: Pick<JobView, 'status'>): readonly number[] {
  if (state.decisions.length === 0) return NONE;
  const watched = new Map<number, number>();
  for (const { kind, reason, by, attempt: n, laneMs, seenMs } of state.decisions) {
    if (kind !== 'restart-requested' || by !== JOBWARDEN) continue;
    const attempt = state.attempts.get(n) ?? emptyAttempt();
    if (attempt.firstStartMs === null || laneMs <= attempt.firstStartMs) continue;
    if (reason === 'lost' && fellSilent(attempt, seenMs)) continue;
    if (wouldHaveRunLonger(state, view, n, attempt)) watched.set(n, laneMs - attempt.firstStartMs);
  }
  return watched.size === 0 ? NONE : [...watched.values()];
}

/** It was under a lease: the one that its start declared, or that a heartbeat after it began. */
function fellSilent({ leaseMs, lastStartMs }: AttemptState, seenMs: number | undefined): boolean {
  return leaseMs !== null || (seenMs ?? 0) > (lastStartMs ?? 0);
}

function wouldHaveRunLonger(state: JobState, { status }: Pick<JobView, 'status'>, n: number, attempt: AttemptState): boolean {
  if (attempt.succeeded) return !teachesLatency(state, n, attempt);
  return !attempt.failed && status === 'dead-lettered';
}
