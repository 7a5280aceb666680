import { Job, type Queue } from 'bullmq';
import type { EnqueueCommand } from '@jobwarden/client';
import { heldAt } from '../grant.js';
import { jobKey, lockKey } from '../keys.js';
import { JOB_FIELDS } from '../own-keys.js';
import type { Owner } from '../owners/conflict.js';
import { keysOf, redisOf, runScript } from '../redis.js';
import { TAKE } from './scripts.js';

/** Longer than moving the job takes; who dies in between lets the next reader of the command do it. */
const HELD_FOR_MS = 30_000;

/**
 * What became of a command.
 *
 * `put-back`: the job was active under a worker that is lost, and waits again. `retried`: it had failed, and waits again.
 * `promoted`: we had put it aside, and it waits again. `noted`: it waits already, or comes by itself. `completed`: BullMQ
 * has its result, so it is not run again. `added`: it was gone, and is a new job. `copy`, `older`: done before.
 * `running`: a worker's lock is alive, and the queue is its own owner. `no-payload`: it is gone, and nothing to add it with.
 */
export type PutBack = 'put-back' | 'retried' | 'promoted' | 'noted' | 'completed' | 'added' | 'copy' | 'older' | 'running' | 'no-payload';

/** Why Jobwarden asks by itself. What a person asked for is run again also when BullMQ has completed it. */
const BY_ITSELF: ReadonlySet<string> = new Set(['lost', 'hung', 'released', 'backoff', 'claim', 'failed', 'reset']);

export interface NativeJob {
  readonly id: string;
  /** Another job may have got the same id since; null: its id says whose it is. */
  readonly createdMs: number | null;
}

/**
 * Puts the native job `id` back for the attempt of a command; null: there is no such job.
 *
 *   one step in Redis: note the attempt in the job's hash, take its lock where it is active
 *   active             → moveToWait with that lock: to the front of its queue, by its priority
 *   failed, completed  → retry
 *   delayed by us      → promote
 *   anything else      → nothing: it waits, or its children or its own delay come first
 *
 * Every step may be repeated, by the same reader after a crash or by another: a job that has been started since its attempt
 * was noted is not touched. The worker that had it finds its lock gone: BullMQ refuses what it says, and Jobwarden does.
 */
export async function putBack(queue: Queue, { id, createdMs }: NativeJob, { data }: EnqueueCommand, owner: Owner): Promise<PutBack | null> {
  const redis = await redisOf(queue);
  const keys = keysOf(queue);
  const lock = `jobwarden:${String(data.attempt)}:${String(data.token)}`;
  const force = owner === 'jobwarden' ? '1' : '0';
  const key = jobKey(keys, id);
  const handed = [id, createdMs ?? '', data.attempt, data.token, JSON.stringify(handedOver(data)), lock, HELD_FOR_MS, force];
  const took = await runScript(redis, TAKE, [key, lockKey(keys, id), keys.active, ...handed]);
  if (took === 'gone') return null;
  if (took === 'older' || took === 'copy' || took === 'running') return took;
  const job = await Job.fromId(queue, id);
  if (job === undefined) return null;
  if (took === 'taken') {
    await unlessMoved(job, () => job.moveToWait(lock), 'active');
    return 'put-back';
  }
  const state = await job.getState();
  if (state === 'failed' || (state === 'completed' && !BY_ITSELF.has(data.reason))) {
    await unlessMoved(job, () => job.retry(state), state);
    return 'retried';
  }
  if (state === 'completed') return 'completed';
  if (state === 'delayed' && heldAt(await redis.hget(key, JOB_FIELDS.held), job.attemptsStarted) !== null) {
    await unlessMoved(job, () => job.promote(), 'delayed');
    return 'promoted';
  }
  return 'noted';
}

/** What the handler of the next attempt is told. */
export function handedOver({ reason, previousWorker, progress, invalidation, trace }: EnqueueCommand['data']): Readonly<Record<string, unknown>> {
  return {
    reason,
    ...(previousWorker !== undefined && { previousWorker }),
    ...(progress !== undefined && { progress }),
    ...(invalidation !== undefined && { invalidation }),
    ...(trace !== undefined && { trace }),
  };
}

/** Somebody else may have done it meanwhile: then it is done. */
export async function unlessMoved(job: Job, move: () => Promise<unknown>, from: string): Promise<void> {
  try {
    await move();
  } catch (error) {
    if ((await job.getState()) === from) throw error;
  }
}
