import { readTrace, type EnqueueCommand } from '@jobwarden/client';
import type { JobsOptions, Queue } from 'bullmq';
import type { Carried } from '../carried.js';
import { ADDED_KEPT, ADDED_KEPT_MS, ownKeys } from '../own-keys.js';
import { unwatched } from '../producer/watch-queue.js';
import { keysOf, redisOf, runScript } from '../redis.js';
import { grantedJobId } from '../run-id.js';
import { handedOver, unlessMoved, type PutBack } from './put-back.js';
import { MARK } from './scripts.js';

/** Until we know that nobody else has added it. Longer than that takes; after a crash the next reader lets it go. */
const ASIDE_MS = 3_600_000;

/**
 * Adds the attempt of a command as a new job, since its native job is gone: removed on completion or on failure, or by a
 * person, or it was of another Redis. Its id names run, attempt and token, so BullMQ adds it once while it is there; the
 * set of added attempts remembers it for longer.
 *
 * It is added delayed, then marked as ours in the set, and let go only by that mark. So two readers at once add one job,
 * also when the first one's is over and removed before the second one comes to the mark.
 */
export async function addAgain(queue: Queue, command: EnqueueCommand): Promise<PutBack> {
  const { subject, data } = command;
  const { attempt, token } = data;
  const redis = await redisOf(queue);
  const { added } = ownKeys(keysOf(queue).base);
  const id = grantedJobId({ jobId: subject, attempt, token });
  const known = await redis.zscore(added, id);
  if (known !== null) return await letGo(queue, id, known);
  const payload = payloadOf(data);
  if (payload === undefined) return 'no-payload';
  const now = Date.now();
  const mark = `${String(now)}.${String(Math.floor(Math.random() * 9_000) + 1_000)}`;
  const trace = readTrace(data.trace?.traceparent, data.trace?.tracestate);
  const carried: Carried = {
    told: true,
    mark,
    command: handedOver(data),
    ...(data.queue !== queue.name && { queue: data.queue }),
    ...(trace !== null && { trace }),
  };
  await unwatched(queue).add(data.kind ?? 'jobwarden', payload, { jobId: id, delay: ASIDE_MS, attempts: 1, jobwarden: carried } as JobsOptions);
  const winner = await runScript(redis, MARK, [added, id, mark, ADDED_KEPT, now - ADDED_KEPT_MS]);
  return await letGo(queue, id, String(winner), Number(winner) === Number(mark));
}

/** Lets the job wait if it is the one that was marked; another under the same id was added by a reader that came too late. */
async function letGo(queue: Queue, id: string, winner: string, ours = false): Promise<PutBack> {
  const job = await queue.getJob(id);
  if (job === undefined || (await job.getState()) !== 'delayed' || job.attemptsStarted > 0) return ours ? 'added' : 'copy';
  const { mark } = (job.opts as { jobwarden?: Carried }).jobwarden ?? {};
  if (Number(mark) === Number(winner)) await unlessMoved(job, () => job.promote(), 'delayed');
  else await job.remove();
  return ours ? 'added' : 'copy';
}

/** A reference is handed on as it is: only the handler knows where it leads. */
function payloadOf({ payload, payloadRef }: EnqueueCommand['data']): unknown {
  return payload === undefined && payloadRef !== undefined ? { payloadRef } : payload;
}
