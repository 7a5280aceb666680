import type { Job as Attempt } from '@jobwarden/worker';
import type { Job } from 'bullmq';
import { carriedOf } from '../carried.js';

/** What a handler may want to know of the attempt it is running. */
export interface Fence {
  /** Jobwarden's job id: one per run, whatever BullMQ's id is. */
  readonly runId: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Hand it to whatever the job writes to, and let that refuse lower ones. undefined: nothing was claimed. */
  readonly token: number | undefined;
}

const attempts = new WeakMap<object, Attempt>();

/** The attempt that a BullMQ job is being run as; undefined: outside of its handler, or in a sandbox. */
export function attemptOf(job: object): Attempt | undefined {
  return attempts.get(job);
}

/** Attempt and fencing token of the job that a handler was given; also in a sandboxed processor. @throws anywhere else. */
export function fenceOf(job: { readonly opts: object; readonly id?: string | undefined }): Fence {
  const attempt = attempts.get(job);
  if (attempt !== undefined) return { runId: attempt.id, attempt: attempt.attempt, token: attempt.token };
  // As JSON it has lost a token that is undefined.
  const fence = (carriedOf(job.opts) as { readonly fence?: Omit<Fence, 'token'> & { readonly token?: number } } | null)?.fence;
  if (fence !== undefined) return { runId: fence.runId, attempt: fence.attempt, token: fence.token };
  throw new Error(`job ${String(job.id)} is not being run under Jobwarden: fenceOf is for handlers`);
}

/**
 * Makes the job tell Jobwarden its progress, too, and say to `fenceOf` which attempt it is. A sandbox gets the options as
 * they are in memory, so it knows as well; in Redis they stay as they were.
 */
export function bind(job: Job, attempt: Attempt): void {
  attempts.set(job, attempt);
  const { id: runId, token } = attempt;
  const fence: Fence = { runId, attempt: attempt.attempt, token };
  job.opts = { ...job.opts, jobwarden: { ...carriedOf(job.opts), fence } } as Job['opts'];
  const update = job.updateProgress.bind(job);
  job.updateProgress = async (progress) => {
    attempt.progress(progress);
    await update(progress);
  };
}
