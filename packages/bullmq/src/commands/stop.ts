import type { Client, StopCommand } from '@jobwarden/client';
import { Job, UnrecoverableError, type Queue } from 'bullmq';
import { heldAt } from '../grant.js';
import { jobKey, lockKey } from '../keys.js';
import { JOB_FIELDS } from '../own-keys.js';
import type { Owner } from '../owners/conflict.js';
import { keysOf, redisOf, runScript } from '../redis.js';
import { grantedJobId, parseRunId } from '../run-id.js';
import { SEIZE, SET_FIELDS } from './scripts.js';

/** `stopped`: it ends without a call of the handler. `running`: under a live lock, whose worker ends it. `none`: nothing to do. */
export type Stopped = 'stopped' | 'running' | 'none';

const OVER: ReadonlySet<string> = new Set(['cancelled', 'dead-lettered', 'discarded']);
/** Longer than moving the job takes. */
const HELD_FOR_MS = 30_000;

/**
 * A stop of a job that is over. What waits in BullMQ is noted, so that whoever takes it ends it without a call of the handler;
 * what is active under a dead worker fails now: nobody else would end it where BullMQ's own recovery is off. A live worker learns
 * it by its own ways, and ends the job itself. Nothing is removed from the queue.
 */
export async function stop(queue: Queue, { subject, data }: StopCommand, client: Client, owner: Owner): Promise<Stopped> {
  const job = await client.job({ queue: data.queue, id: subject });
  if (job === null || !OVER.has(job.status)) return 'none';
  const redis = await redisOf(queue);
  const keys = keysOf(queue);
  const { attempt, token } = data;
  const ids = [parseRunId(subject)?.nativeId, grantedJobId({ jobId: subject, attempt, token })];
  for (const id of ids) {
    if (id === undefined) continue;
    const noted = await runScript(redis, SET_FIELDS, [jobKey(keys, id), JOB_FIELDS.stopped, attempt]);
    if (noted !== 1) continue;
    // A dead letter's last worker was silent for its lease and the grace.
    const force = owner === 'jobwarden' && job.status === 'dead-lettered';
    return await end(queue, id, { reason: `Jobwarden: ${job.status}`, lock: `jobwarden:stop:${String(token)}`, force });
  }
  return 'none';
}

interface Ending {
  readonly reason: string;
  readonly lock: string;
  readonly force: boolean;
}

async function end(queue: Queue, id: string, { reason, lock, force }: Ending): Promise<Stopped> {
  const redis = await redisOf(queue);
  const keys = keysOf(queue);
  const seized = await runScript(redis, SEIZE, [lockKey(keys, id), keys.active, id, lock, HELD_FOR_MS, force ? '1' : '0']);
  if (seized === 'running') return 'running';
  const job = await Job.fromId(queue, id);
  if (job === undefined) return 'none';
  if (seized === 'taken') {
    await job.moveToFailed(new UnrecoverableError(reason), lock, false);
  } else if ((await job.getState()) === 'delayed') {
    // What we have put aside ends now rather than when it would have been asked for again.
    const held = await redis.hget(jobKey(keys, id), JOB_FIELDS.held);
    if (heldAt(held, job.attemptsStarted) !== null) await job.promote().catch(() => undefined);
  }
  return 'stopped';
}
