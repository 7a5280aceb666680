import type { Queue, Worker } from 'bullmq';
import { jobKey } from '../keys.js';
import { keysOf, redisOf, type OnQueue } from '../redis.js';
import type { NativeRecovery } from './conflict.js';

/** How many waiting and how many delayed jobs are looked at. */
const LOOKED_AT = 50;

/** BullMQ's recovery as the running code and the jobs in Redis have it. */
export async function nativeRecovery(on: OnQueue): Promise<NativeRecovery> {
  const job = await jobWithAttempts(on);
  const opts = on.opts as Partial<Worker['opts']> & Partial<Queue['opts']>;
  const { stalledInterval, maxStalledCount, skipStalledCheck } = opts;
  const attempts = opts.defaultJobOptions?.attempts;
  return {
    // Only a worker's options have it, with its default filled in.
    ...(stalledInterval !== undefined && { worker: { stalledInterval, maxStalledCount: maxStalledCount ?? 1, skipStalledCheck: skipStalledCheck === true } }),
    ...(attempts !== undefined && { defaultAttempts: attempts }),
    ...(job !== null && { job }),
  };
}

/** One that waits with retries of its own, among those that come next. */
async function jobWithAttempts(on: OnQueue): Promise<NonNullable<NativeRecovery['job']> | null> {
  const redis = await redisOf(on);
  const keys = keysOf(on);
  const ids = (
    await Promise.all([
      redis.lrange(keys.wait, -LOOKED_AT, -1),
      redis.zrange(keys.prioritized, 0, LOOKED_AT - 1),
      redis.zrange(keys.delayed, 0, LOOKED_AT - 1),
    ])
  ).flat();
  for (const id of ids) {
    const attempts = attemptsOf(await redis.hget(jobKey(keys, id), 'opts'));
    if (attempts > 1) return { id, attempts };
  }
  return null;
}

function attemptsOf(opts: string | null): number {
  try {
    const { attempts } = JSON.parse(opts ?? '{}') as { attempts?: unknown };
    return typeof attempts === 'number' ? attempts : 0;
  } catch {
    return 0;
  }
}
