import type { JobFact } from '@jobwarden/client';
import type { Job, Worker } from 'bullmq';
import { carriedOf } from '../carried.js';
import { attemptOf as attemptNumber, readGrant } from '../grant.js';
import { jobKey } from '../keys.js';
import { JOB_FIELDS } from '../own-keys.js';
import { keysOf, redisOf } from '../redis.js';
import { runOf } from '../run-id.js';
import { attemptOf } from './attempt-of.js';

const followed = new WeakSet();

/**
 * BullMQ fails a job that has stalled too often without a call of its handler: nobody but the worker's `failed` event says
 * so. Told as failed for good, of the attempt that stalled last: the queue gave up.
 */
export function tellWhatQueueGaveUp(worker: Worker, tell: (fact: JobFact) => void): void {
  if (followed.has(worker)) return;
  followed.add(worker);
  worker.on('failed', (job, error) => {
    // What a handler has run, it has told itself.
    if (job === undefined || attemptOf(job) !== undefined || error.name !== 'UnrecoverableError') return;
    lastAttempt(worker, job)
      .then((attempt) => tell(gaveUp(worker, job, attempt, error)))
      .catch((reason: unknown) => worker.emit('error', reason as Error));
  });
}

async function lastAttempt(worker: Worker, job: Job): Promise<number> {
  const grant = readGrant(await (await redisOf(worker)).hget(jobKey(keysOf(worker), job.id ?? ''), JOB_FIELDS.grant));
  // This failure and, where there was one, the stall that led to it have been counted, but begun no attempt.
  const { timestamp, attemptsStarted, attemptsMade, stalledCounter } = job;
  const counts = { attemptsStarted, attemptsMade: attemptsMade - 1, stalledCounter: Math.max(0, stalledCounter - 1) };
  return attemptNumber({ timestamp, ...counts }, grant);
}

function gaveUp({ name }: Worker, job: Job, attempt: number, { message }: Error): JobFact {
  return {
    type: 'failed',
    queue: carriedOf(job.opts)?.queue ?? name,
    jobId: runOf(job.id ?? '', job.timestamp).jobId,
    // The same wherever it is told.
    id: `gave-up-${String(attempt)}`,
    data: { attempt, error: { class: 'StalledError', message }, retryable: false },
  };
}
