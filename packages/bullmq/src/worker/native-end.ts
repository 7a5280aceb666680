import { DelayedError, ErrorCode, UnrecoverableError, WaitingError, type Job, type Worker } from 'bullmq';
import { writeHeld } from '../grant.js';
import { jobKey } from '../keys.js';
import { JOB_FIELDS } from '../own-keys.js';
import { keysOf, redisOf, runScript } from '../redis.js';
import { SET_FIELDS } from '../commands/scripts.js';

/** One start of a native job, for its worker to end. */
export interface NativeStart {
  readonly worker: Worker;
  readonly job: Job;
  /** Of the job's lock. */
  readonly lock: string;
}

/**
 * Puts the job aside for so long, ms: it counts as no failure and uses none of BullMQ's attempts. A command of Jobwarden's
 * lets it go sooner. Throws what tells BullMQ that the job has been moved.
 */
export async function putAside({ worker, job, lock }: NativeStart, ms: number, message = ''): Promise<never> {
  const redis = await redisOf(worker);
  const held = writeHeld(job.attemptsStarted, message);
  await runScript(redis, SET_FIELDS, [jobKey(keysOf(worker), job.id ?? ''), JOB_FIELDS.held, held]);
  await unlessTaken(() => job.moveToDelayed(Date.now() + Math.max(1, Math.round(ms)), lock));
  throw new DelayedError();
}

/** Gives the job back to the front of its queue, for another worker. */
export async function giveBack({ job, lock }: NativeStart): Promise<never> {
  await unlessTaken(() => job.moveToWait(lock));
  throw new WaitingError();
}

/** Fails the job in BullMQ, without a retry of its own also where it has attempts left; the first cause stays readable. */
export function failForGood({ job }: NativeStart, error: unknown): never {
  if (job.attemptsMade + 1 >= (job.opts.attempts ?? 0)) throw error;
  const final = new UnrecoverableError(error instanceof Error ? error.message : String(error));
  if (error instanceof Error && error.stack !== undefined) final.stack = error.stack;
  final.cause = error;
  throw final;
}

const TAKEN: ReadonlySet<unknown> = new Set([
  ErrorCode.JobNotExist,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobLockMismatch,
  ErrorCode.JobNotInState,
]);

/** Whoever has the job now sees to it. */
async function unlessTaken(move: () => Promise<unknown>): Promise<void> {
  try {
    await move();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && TAKEN.has(error.code))) throw error;
  }
}

const DAY_MS = 86_400_000;
/** BullMQ asks a rate limit again after so long unless its worker says otherwise. */
const RATE_LIMITED_MS = 30_000;
/** What `Worker.RateLimitError()` says; BullMQ knows it by this. */
const RATE_LIMITED = 'bullmq:rateLimitExceeded';

/** The handler has moved the job itself, or asked for it: no end, and no failure. For how long it is away, ms; null: it is one. */
export function parkedFor({ job, worker }: NativeStart, error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  if (error.message === RATE_LIMITED) return Math.max(RATE_LIMITED_MS, worker.opts.limiter?.duration ?? 0);
  switch (error.name) {
    case 'DelayedError':
      return job.delay;
    case 'WaitingError':
      return RATE_LIMITED_MS;
    case 'WaitingChildrenError':
      return DAY_MS;
    default:
      return null;
  }
}
