import { mayAct, recoveryPolicy, RefusedCallError, UnreachableError, type Client, type Logger, type RecoveryPolicy } from '@jobwarden/client';
import type { PgBoss } from 'pg-boss';
import { nextRetryCount } from '../start.js';
import type { Row } from '../row.js';
import { conflictOf, OwnersError, type NativeRecovery, type Owner } from './conflict.js';

export interface Checking {
  readonly boss: PgBoss;
  readonly client: Client;
  readonly owner: Owner;
  readonly logger: Logger;
}

/** How many waiting jobs are looked at. */
const LOOKED_AT = 50;

/**
 * pg-boss's settings, of the queue and of what waits in it, against the program's owner and Jobwarden's policy. Without an
 * answer of Jobwarden's only what is known here counts: workers go on while it is away.
 * @throws OwnersError naming both, and what to change; Error where there is no such queue.
 */
export async function checkOwners(queue: string, { boss, client, owner, logger }: Checking): Promise<void> {
  const [native, policy] = await Promise.all([nativeRecovery(boss, queue), policyOf(queue, client, logger)]);
  const conflict = conflictOf(queue, owner, native, policy);
  if (conflict !== null) throw new OwnersError(conflict);
  if (owner === 'jobwarden' && policy !== null && !mayAct(policy)) {
    logger.warn(
      `nobody puts back the jobs of "${queue}" that a dead worker leaves behind: pg-boss's retries are off (owner: 'jobwarden'), and Jobwarden only observes (actions: observe)`,
    );
  }
}

async function nativeRecovery(boss: PgBoss, queue: string): Promise<NativeRecovery> {
  const found = await boss.getQueue(queue);
  if (found === null) throw new Error(`pg-boss has no queue "${queue}": create it first (boss.createQueue)`);
  const { retryLimit = 0, expireInSeconds = 0, deadLetter } = found;
  const waiting = await boss.findJobs<unknown>(queue, { queued: true, limit: LOOKED_AT });
  const own = waiting.find((job) => retriesLeft(job) > retryLimit || (hasText(job.deadLetter) && job.deadLetter !== deadLetter));
  return {
    ...{ retryLimit, expireInSeconds, deadLetter: hasText(deadLetter) ? deadLetter : null },
    ...(own !== undefined && { job: { id: own.id, retryLimit: retriesLeft(own), deadLetter: hasText(own.deadLetter) ? own.deadLetter : null } }),
  };
}

/** pg-boss's own, after the next start. What was put aside or back has as many more as it has had starts. */
function retriesLeft(job: Row): number {
  return job.retryLimit - nextRetryCount(job);
}

/** A column that is NULL comes as null, whatever the types say. */
function hasText(name: string | null | undefined): name is string {
  return name !== null && name !== undefined && name !== '';
}

async function policyOf(queue: string, client: Client, logger: Logger): Promise<RecoveryPolicy | null> {
  try {
    return await recoveryPolicy(client, queue);
  } catch (error) {
    if (!(error instanceof UnreachableError) && !(error instanceof RefusedCallError)) throw error;
    logger.warn(`who owns the recovery of "${queue}" was not compared with Jobwarden's policy: ${error.message}`);
    return null;
  }
}
