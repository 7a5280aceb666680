import { FINISHED, type JobStatus } from '#libs/domain';
import type { JobStanding } from '../ports/compare-store.port.js';
import type { TheirStatus } from './status-words.js';

/**
 *   unknown_here    they know a job that nothing has ever been heard of
 *   unknown_there   it is not finished here, and they say that there is none, or do not name it in a complete list
 *   theirs_behind   they say less than we know: a stale cache, a queue that has not heard of the end
 *   theirs_ahead    they say more than we know: an event was lost on its way here
 *   differs         they say something else, and neither is further
 */
export const DIFFERENCE_KINDS = ['unknown_here', 'unknown_there', 'theirs_behind', 'theirs_ahead', 'differs'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** What they say of one job. */
export interface Theirs {
  /** As they say it; null: they do not name it. */
  readonly word: string | null;
  readonly status: TheirStatus;
  readonly attempt: number | null;
}

/** null: no difference. */
export function judge(theirs: Theirs, ours: JobStanding | null): DifferenceKind | null {
  const { status } = theirs;
  if (ours === null) return status === 'unknown' ? null : 'unknown_here';
  if (status === 'unknown') return FINISHED.has(ours.status) ? null : 'unknown_there';
  if (theirs.attempt !== null && theirs.attempt !== ours.attempt) {
    return theirs.attempt < ours.attempt ? 'theirs_behind' : 'theirs_ahead';
  }
  if (agree(status, ours.status)) return null;
  const [they, we] = [PHASE[status], PHASE[ours.status]];
  if (they > we) return 'theirs_ahead';
  if (they === we) return 'differs';
  // After a failure that nothing has been decided on, whoever waits or runs may well be the next attempt.
  return ours.status === 'failed' ? 'differs' : 'theirs_behind';
}

/** What a status amounts to for somebody who has fewer words. Two agree when they share a meaning. */
const MEANINGS: Readonly<Record<JobStatus, readonly string[]>> = {
  queued: ['waits'],
  requeued: ['waits'],
  incomplete: ['waits'],
  // It failed and waits for its next attempt: some keep it among the failed, some among the delayed.
  retrying: ['waits', 'failed'],
  processing: ['runs'],
  'restart-requested': ['runs'],
  failed: ['failed', 'failed for good'],
  'dead-lettered': ['failed for good'],
  succeeded: ['succeeded'],
  cancelled: ['dropped'],
  discarded: ['dropped'],
};

function agree(a: JobStatus, b: JobStatus): boolean {
  return MEANINGS[a].some((meaning) => MEANINGS[b].includes(meaning));
}

const [WAITS, RUNS, ENDED] = [0, 1, 2];
const PHASE: Readonly<Record<JobStatus, number>> = {
  queued: WAITS,
  requeued: WAITS,
  incomplete: WAITS,
  retrying: WAITS,
  processing: RUNS,
  'restart-requested': RUNS,
  failed: ENDED,
  'dead-lettered': ENDED,
  succeeded: ENDED,
  cancelled: ENDED,
  discarded: ENDED,
};

/** They have not begun it, or do not have it at all: what a requeue mends, if anything does. */
export function isIdleThere({ status }: Theirs): boolean {
  return status === 'unknown' || PHASE[status] === WAITS;
}
