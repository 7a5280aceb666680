import type { EnqueueCommandData, JobFact } from '@jobwarden/client';
import type { Job as Attempt, RunResult, RunSpec } from '@jobwarden/worker';
import { carriedOf } from '../carried.js';
import { STARTED_FIELDS, startOf, type Start } from '../grant.js';
import { jobKey, lockKey } from '../keys.js';
import type { Owner } from '../owners/conflict.js';
import { queuedFact, traceOf } from '../producer/queued.js';
import { keysOf, redisOf } from '../redis.js';
import { noteVerdict } from './classify.js';
import { endNatively } from './end-natively.js';
import { giveBack, parkedFor, type NativeStart } from './native-end.js';
import { noteClaimed } from './note-claimed.js';

/** What runs an attempt under its lease: `worker.run`. */
export interface Runner {
  run(spec: RunSpec, handler: (attempt: Attempt) => Promise<unknown>): Promise<RunResult>;
  /** Resolves once this release may begin jobs of the queue. */
  admitted(queue: string): Promise<void>;
}

export interface Running {
  readonly owner: Owner;
  readonly runner: Runner;
  readonly tell: (fact: JobFact) => void;
  /** Where a job that is finished stands; null: nobody answered. */
  readonly statusOf: (queue: string, runId: string) => Promise<string | null>;
}

/** The user's handler, or BullMQ's sandbox. */
export type Handle = (attempt: Attempt, signal: AbortSignal) => Promise<unknown>;

/**
 * One start of a native job: which attempt it is, run under its lease, ended in BullMQ as it ended for Jobwarden. What it
 * resolves to is the job's result; what it throws, BullMQ fails the job with, or knows that it has been moved.
 */
export async function runJob(running: Running, native: NativeStart, handle: Handle, signal?: AbortSignal): Promise<unknown> {
  const { job, worker } = native;
  const start = startOf(job, await fieldsOf(native));
  if (start.overtaken && (await isTaken(native))) return await giveBack(native);
  const queue = carriedOf(job.opts)?.queue ?? worker.name;
  if (start.stopped) return await endNatively(running, native, { queue, start, result: { kind: 'refused', code: 'finished' } });
  if (job.attemptsStarted <= 1 && carriedOf(job.opts) === null) running.tell(queuedFact(job));
  const result = await running.runner.run(specOf(native, queue, start), async (attempt) => {
    if (attempt.attempt > start.attempt) await noteClaimed(native, attempt);
    const wanted = signal === undefined ? attempt.signal : AbortSignal.any([attempt.signal, signal]);
    try {
      return await handle(attempt, wanted);
    } catch (error) {
      noteVerdict(running.owner, job, error, worker.opts.maxStartedAttempts);
      throw error;
    }
  });
  return await endNatively(running, native, { queue, start, result });
}

function specOf(native: NativeStart, queue: string, start: Start): RunSpec {
  const { job } = native;
  const command = start.command ?? carriedOf(job.opts)?.command;
  return {
    queue,
    id: start.runId,
    attempt: start.attempt,
    ...(start.token !== undefined && { token: start.token }),
    kind: job.name,
    payload: job.data as unknown,
    parks: (error) => parkedFor(native, error),
    ...(command !== undefined && { command: command as unknown as EnqueueCommandData }),
    ...traceOf(job.opts),
  };
}

async function fieldsOf({ worker, job }: NativeStart): Promise<readonly (string | null)[]> {
  const redis = await redisOf(worker);
  return await redis.hmget(jobKey(keysOf(worker), job.id ?? ''), ...STARTED_FIELDS);
}

async function isTaken({ worker, job, lock }: NativeStart): Promise<boolean> {
  const redis = await redisOf(worker);
  return (await redis.get(lockKey(keysOf(worker), job.id ?? ''))) !== lock;
}
