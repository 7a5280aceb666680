import type { Job as Attempt } from '@jobwarden/worker';
import { writeGrant } from '../grant.js';
import { jobKey } from '../keys.js';
import { JOB_FIELDS } from '../own-keys.js';
import { keysOf, redisOf, runScript } from '../redis.js';
import { SET_FIELDS } from '../commands/scripts.js';
import type { NativeStart } from './native-end.js';

/**
 * A claim has granted a newer attempt than the job's hash knows: that of a command which is still on its way, or one that
 * the claim made itself. Noted as started, so that the command is a copy when it comes.
 */
export async function noteClaimed({ worker, job }: NativeStart, { attempt, token }: Pick<Attempt, 'attempt' | 'token'>): Promise<void> {
  if (token === undefined) return;
  const grant = writeGrant({ attempt, token, starts: job.attemptsStarted - 1, base: job.attemptsMade + job.stalledCounter });
  const redis = await redisOf(worker);
  await runScript(redis, SET_FIELDS, [jobKey(keysOf(worker), job.id ?? ''), JOB_FIELDS.grant, grant]);
}
