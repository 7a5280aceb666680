import type { QuarantineLook } from '#libs/domain';
import type { RunAt, RunQueueName } from '../ports/run-store.port.js';
import type { RevisionQuarantine } from '../revisions/revision-quarantine.js';
import type { RevisionDesk } from './collaborators.js';

/** What a run refuses, by the quarantine of revisions: in each of its queues, and in no other that happens to name the same revision. */
export class QuarantinedRevisions implements RevisionDesk {
  constructor(private readonly quarantine: Pick<RevisionQuarantine, 'refresh' | 'setFor' | 'standing' | 'refusedOf'>) {}

  async refuse(run: RunAt, queues: readonly RunQueueName[], revision: string, reason: string): Promise<void> {
    for (const { namespace, queue } of queues) {
      await this.quarantine.setFor(run, { namespace, queue, revision, reason, by: 'jobwarden' });
    }
  }

  async standing(queues: readonly RunQueueName[], revision: string): Promise<QuarantineLook> {
    let refusedEverywhere = queues.length > 0;
    let liveLeases = 0;
    for (const { namespace, queue } of queues) {
      const one = await this.quarantine.standing({ namespace, queue, revision });
      refusedEverywhere &&= one.refusedEverywhere;
      liveLeases += one.liveLeases;
    }
    return { refusedEverywhere, liveLeases };
  }

  async refused(queues: readonly RunQueueName[]): Promise<readonly string[]> {
    await this.quarantine.refresh();
    return [...new Set(queues.flatMap((queue) => this.quarantine.refusedOf(queue)))];
  }
}
