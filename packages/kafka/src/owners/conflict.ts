import { mayAct, type RecoveryPolicy } from '@jobwarden/client';

/** Who retries and recovers the jobs of a topic, as the program says it. */
export type Owner = 'queue' | 'jobwarden';

/** Two would put the same jobs back, or the program and the policy do not agree who does. Nothing was started. */
export class OwnersError extends Error {
  override readonly name = 'OwnersError';
}

/** What is wrong, naming both and what to change; null: one of them recovers the topic's jobs. */
export function conflictOf(queue: string, owner: Owner, policy: RecoveryPolicy | null): string | null {
  if (policy === null) return null;
  if (owner === 'queue' && policy.owner === 'jobwarden' && mayAct(policy)) {
    return (
      `Two would put back the jobs of the topic "${queue}": Kafka (what the group has not committed is handled again, and a failed record is tried again in ` +
      `its place) and Jobwarden (owner: jobwarden, requeue: ${policy.levels.requeue}, retry: ${policy.levels.retry}). Either say "owner: queue" for it in ` +
      `Jobwarden's policy, or "owner: 'jobwarden'" to createKafka in every program of the group.`
    );
  }
  if (owner === 'jobwarden' && policy.owner === 'queue') {
    return (
      `The program says owner: 'jobwarden' for the topic "${queue}", so failed records are committed and left to Jobwarden, and Jobwarden's policy says ` +
      `owner: queue, so it waits for Kafka first (ownerWait). Say the same in both.`
    );
  }
  return null;
}

/** Of what `consumer.run` is asked for. */
export function commitConflict(owner: Owner, autoCommit: boolean | undefined): string | null {
  if (autoCommit !== false) return null;
  const both =
    owner === 'jobwarden'
      ? `Two would put back the same jobs: Jobwarden (owner: 'jobwarden') and Kafka, which hands out again whatever is not committed (autoCommit: false).`
      : `autoCommit: false leaves it to the program when a record counts as done: one that is committed before its end is not put back by Kafka (owner: 'queue').`;
  return `${both} Leave autoCommit on: a record is committed when it has ended, and never before.`;
}
