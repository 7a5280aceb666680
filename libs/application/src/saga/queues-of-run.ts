import type { RunAbout } from '#libs/domain';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { RunQueueName, RunStore } from '../ports/run-store.port.js';
import { targetOf } from './run-policy-of.js';

/** Which queues a run is about: those that are saturated, and those that the same target works on. */
export class QueuesOfRun {
  constructor(
    private readonly runs: Pick<RunStore, 'join' | 'knownQueues'>,
    private readonly policies: PolicySource,
  ) {}

  /** Of every queue that any event has named. */
  async ofTarget(target: string): Promise<readonly RunQueueName[]> {
    return (await this.runs.knownQueues()).filter((queue) => targetOf(this.policies, queue) === target);
  }

  /** Repeatable. Answers how many of the saturated ones are new. */
  async join(incidentId: string, target: string | null, saturated: readonly RunQueueName[]): Promise<number> {
    const beside = target === null ? [] : await this.ofTarget(target);
    const added = await this.runs.join(incidentId, saturated.map((queue) => ({ ...queue, saturated: true })));
    await this.runs.join(incidentId, beside.map((queue) => ({ ...queue, saturated: false })));
    return added;
  }

  /** Who opened it was killed before it could say which queues: some of them stand in its first step. */
  async joinAgain(incidentId: string, { target, namespace, queues }: RunAbout): Promise<void> {
    await this.join(incidentId, target, queues.map((queue) => ({ namespace, queue })));
  }
}
