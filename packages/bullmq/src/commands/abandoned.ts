import type { Client } from '@jobwarden/client';
import { Job, UnrecoverableError, type Queue } from 'bullmq';
import { carriedOf } from '../carried.js';
import { jobKey, lockKey } from '../keys.js';
import { keysOf, redisOf, runScript } from '../redis.js';
import { runOf } from '../run-id.js';
import { ABANDONED, SEIZE } from './scripts.js';
import { unlessMoved } from './put-back.js';

/** What was done with a job that nobody holds. */
export type Settled = 'put-back' | 'completed' | 'failed';

/** Jobwarden has not seen it begin, or not since it was put back: no lease of its own will end. */
const NOT_BEGUN: ReadonlySet<string> = new Set(['queued', 'requeued']);
const OVER: ReadonlySet<string> = new Set(['dead-lettered', 'cancelled', 'discarded']);
/** Longer than moving the job takes. */
const HELD_FOR_MS = 30_000;

/**
 * Jobs that are active in BullMQ, under no lock, and that no command will ever reach, where BullMQ's own stall check is off.
 *
 * A worker can die between BullMQ's step and Jobwarden's, at both ends of an attempt:
 *
 *   taken from BullMQ, not begun for Jobwarden     queued, requeued or unknown there → waits again, as the same attempt
 *   ended for Jobwarden, not for BullMQ            succeeded → completed, without its result; over otherwise → failed
 *   anything between                               its lease ends, and a command comes
 *
 * A job is touched when it was found so in two looks, with no start in between, so that a worker whose first fact is on its way is
 * not overtaken. What it does goes by a lock, so of several consumers one does it. Should its worker live after all, BullMQ
 * refuses it for want of the lock, and fences do.
 */
export class Abandoned {
  private seen = new Map<string, number>();

  constructor(
    private readonly queue: Queue,
    private readonly client: Client,
  ) {}

  /** One look. @throws when Redis or Jobwarden is away. */
  async look(): Promise<ReadonlyMap<string, Settled>> {
    const keys = keysOf(this.queue);
    const found = (await runScript(await redisOf(this.queue), ABANDONED, [keys.active, keys.base])) as (string | number)[];
    const before = this.seen;
    this.seen = new Map();
    const settled = new Map<string, Settled>();
    for (let i = 0; i < found.length; i += 2) {
      const [id, starts] = [String(found[i]), Number(found[i + 1])];
      this.seen.set(id, starts);
      if (before.get(id) !== starts) continue;
      const what = await this.settle(id);
      if (what !== null) settled.set(id, what);
    }
    return settled;
  }

  private async settle(id: string): Promise<Settled | null> {
    const job = await Job.fromId(this.queue, id);
    if (job === undefined) return null;
    const { jobId } = runOf(id, job.timestamp);
    const known = await this.client.job({ queue: carriedOf(job.opts)?.queue ?? this.queue.name, id: jobId });
    const status = known?.status ?? 'queued';
    if (status !== 'succeeded' && !NOT_BEGUN.has(status) && !OVER.has(status)) return null;
    const keys = keysOf(this.queue);
    const lock = `jobwarden:abandoned:${String(job.attemptsStarted)}`;
    const redis = await redisOf(this.queue);
    if ((await runScript(redis, SEIZE, [lockKey(keys, id), keys.active, id, lock, HELD_FOR_MS, '0'])) !== 'taken') return null;
    // It may have been put back and taken again since it was read.
    if (Number(await redis.hget(jobKey(keys, id), 'ats')) !== job.attemptsStarted) return null;
    if (status === 'succeeded') await unlessMoved(job, () => job.moveToCompleted(null, lock, false), 'active');
    else if (OVER.has(status)) await unlessMoved(job, () => job.moveToFailed(new UnrecoverableError(`Jobwarden: ${status}`), lock, false), 'active');
    else await unlessMoved(job, () => job.moveToWait(lock), 'active');
    return status === 'succeeded' ? 'completed' : OVER.has(status) ? 'failed' : 'put-back';
  }
}
