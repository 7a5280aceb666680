import { mayAct, type RecoveryPolicy } from '@jobwarden/client';

/** Who recovers the jobs of a queue, as the program says it. */
export type Owner = 'queue' | 'jobwarden';

/** BullMQ's own recovery of a queue, as it is set. */
export interface NativeRecovery {
  /** Of a worker. Left out: no worker is looked at. */
  readonly worker?: {
    readonly maxStalledCount: number;
    readonly skipStalledCheck: boolean;
    readonly stalledInterval: number;
  };
  /** `defaultJobOptions.attempts`, where they are set. */
  readonly defaultAttempts?: number;
  /** A job that waits in Redis with retries of its own. */
  readonly job?: { readonly id: string; readonly attempts: number };
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
  return (
    `Two would put back the jobs of the queue "${queue}": BullMQ (${nativeText(native)}) and Jobwarden ` +
    `(${policyText(policy)}). Either say "owner: queue" for it in Jobwarden's policy, or "owner: 'jobwarden'" to createBullmq in every ` +
    `program that runs its jobs.`
  );
}

function besideJobwarden(queue: string, native: NativeRecovery, policy: RecoveryPolicy | null): string | null {
  const found = [
    ...(native.worker !== undefined && !native.worker.skipStalledCheck ? ['its worker looks for stalled jobs: set skipStalledCheck: true'] : []),
    ...((native.defaultAttempts ?? 1) > 1 ? [`defaultJobOptions.attempts is ${String(native.defaultAttempts)}: leave it to watchQueue`] : []),
    ...(native.job !== undefined
      ? [`job ${JSON.stringify(native.job.id)} has attempts: ${String(native.job.attempts)} of its own: add it through watchQueue, which hands them over, or with attempts: 1`]
      : []),
  ];
  if (found.length > 0) {
    return (
      `Two would put back the jobs of the queue "${queue}": Jobwarden (owner: 'jobwarden') and BullMQ (${nativeText(native)}). ` +
      `Switch BullMQ's off (${found.join('; ')}), or say "owner: 'queue'".`
    );
  }
  if (policy?.owner !== 'queue') return null;
  return (
    `The program says owner: 'jobwarden' for the queue "${queue}", so BullMQ recovers nothing, and Jobwarden's policy says owner: queue, ` +
    `so it waits for BullMQ first (ownerWait). Say the same in both.`
  );
}

function nativeText({ worker, defaultAttempts, job }: NativeRecovery): string {
  const settings = [
    ...(worker === undefined || worker.skipStalledCheck
      ? []
      : [`maxStalledCount: ${String(worker.maxStalledCount)}, stalledInterval: ${String(worker.stalledInterval)} ms`]),
    ...(defaultAttempts === undefined ? [] : [`attempts: ${String(defaultAttempts)}`]),
    ...(job === undefined ? [] : [`attempts: ${String(job.attempts)} of job ${JSON.stringify(job.id)}`]),
  ];
  return settings.length === 0 ? 'its stall check and attempts' : settings.join(', ');
}

function policyText({ owner, levels }: RecoveryPolicy): string {
  return `owner: ${owner}, requeue: ${levels.requeue}, retry: ${levels.retry}`;
}
