import { mayAct, type RecoveryPolicy } from '@jobwarden/client';

/** Who recovers the jobs of a queue, as the program says it. */
export type Owner = 'queue' | 'jobwarden';

/** pg-boss's own recovery of a queue, as it is set. */
export interface NativeRecovery {
  readonly retryLimit: number;
  readonly expireInSeconds: number;
  readonly deadLetter: string | null;
  /** A job that waits with retries or a dead letter queue of its own. */
  readonly job?: { readonly id: string; readonly retryLimit: number; readonly deadLetter: string | null };
}

/** Two would put the same jobs back, or the program and the policy do not agree who does. Nothing was started. */
export class OwnersError extends Error {
  override readonly name = 'OwnersError';
}

/** What is wrong, naming both and what to change; null: one of them recovers the queue. */
export function conflictOf(queue: string, owner: Owner, native: NativeRecovery, policy: RecoveryPolicy | null): string | null {
  return owner === 'queue' ? besideQueue(queue, native, policy) : besideJobwarden(queue, native, policy);
}

function besideQueue(queue: string, native: NativeRecovery, policy: RecoveryPolicy | null): string | null {
  if (policy === null || policy.owner === 'queue' || !mayAct(policy)) return null;
  const { retry, requeue } = policy.levels;
  return (
    `Two would put back the jobs of the queue "${queue}": pg-boss (${nativeText(native)}) and Jobwarden ` +
    `(owner: ${policy.owner}, requeue: ${requeue}, retry: ${retry}). Either say "owner: queue" for it in Jobwarden's policy, or ` +
    `"owner: 'jobwarden'" to createPgBoss in every program that runs its jobs, with retryLimit: 0.`
  );
}

function besideJobwarden(queue: string, native: NativeRecovery, policy: RecoveryPolicy | null): string | null {
  const { retryLimit, deadLetter, job } = native;
  const found = [
    ...(retryLimit > 0 ? [`set the queue's retryLimit to 0 (boss.updateQueue(${JSON.stringify(queue)}, { retryLimit: 0 }))`] : []),
    ...(deadLetter === null ? [] : [`take its dead letter queue "${deadLetter}" away: Jobwarden keeps the dead letters`]),
    ...(job !== undefined && job.retryLimit > retryLimit ? [`send job ${job.id} without a retryLimit of its own (it has ${String(job.retryLimit)})`] : []),
    ...(job !== undefined && job.deadLetter !== null && job.deadLetter !== deadLetter ? [`send job ${job.id} without its deadLetter "${job.deadLetter}"`] : []),
  ];
  if (found.length > 0) {
    return (
      `Two would put back the jobs of the queue "${queue}": Jobwarden (owner: 'jobwarden') and pg-boss (${nativeText(native)}). ` +
      `Switch pg-boss's off (${found.join('; ')}), or say "owner: 'queue'".`
    );
  }
  if (policy?.owner !== 'queue') return null;
  return (
    `The program says owner: 'jobwarden' for the queue "${queue}", so pg-boss retries nothing, and Jobwarden's policy says owner: queue, ` +
    `so it waits for pg-boss first (ownerWait). Say the same in both.`
  );
}

function nativeText({ retryLimit, expireInSeconds, deadLetter }: NativeRecovery): string {
  return `retryLimit: ${String(retryLimit)}, expireInSeconds: ${String(expireInSeconds)}${deadLetter === null ? '' : `, deadLetter: ${deadLetter}`}`;
}
