import type { WorkerOptions } from '@jobwarden/worker';
import type { Job } from 'bullmq';
import type { Owner } from '../owners/conflict.js';

type Classify = NonNullable<WorkerOptions['classify']>;

/** BullMQ's verdict on an error that a handler has thrown. */
const verdicts = new WeakMap<object, boolean>();

/** Notes whether a retry follows: BullMQ's own where the queue owns, else whether the error allows one. */
export function noteVerdict(owner: Owner, job: Job, error: unknown, maxStarted: number | undefined): void {
  if (typeof error !== 'object' || error === null) return;
  const unrecoverable = error instanceof Error && error.name === 'UnrecoverableError';
  if (unrecoverable) verdicts.set(error, false);
  else if (owner === 'queue') verdicts.set(error, queueRetries(job, maxStarted));
}

/** As `Job.moveToFailed` decides, but for a backoff strategy that answers -1. */
function queueRetries({ attemptsMade, attemptsStarted, opts }: Job, maxStarted: number | undefined): boolean {
  if (maxStarted !== undefined && maxStarted > 0 && maxStarted <= attemptsStarted) return false;
  return attemptsMade + 1 < (opts.attempts ?? 0);
}

/** The caller's own word first. */
export function verdictOf(own: Classify | undefined): Classify {
  return (error) => {
    const said = own?.(error);
    const retryable = typeof error === 'object' && error !== null ? verdicts.get(error) : undefined;
    return retryable === undefined ? said : { retryable, ...said };
  };
}
