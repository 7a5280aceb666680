import { isDrill, strictest, type Action, type Level, type RunPolicy } from '#libs/domain';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { RunQueueName } from '../ports/run-store.port.js';

/** The most careful policy of these queues, with the levels that operators have set; null: there is no queue. */
export function runPolicyOf(policies: PolicySource, queues: readonly RunQueueName[]): RunPolicy | null {
  if (queues.length === 0) return null;
  return strictest(
    queues.map((queue) => {
      const { policy, levels } = policies.policyFor(queue, null);
      return { ...policy, levels: levels satisfies Readonly<Record<Action, Level>> };
    }),
  );
}

/** What the policy names to be rolled back for the queue; null: nothing, as of a drill. */
export function targetOf(policies: PolicySource, queue: RunQueueName): string | null {
  return isDrill(queue) ? null : policies.policyFor(queue, null).policy.rollback.target;
}
