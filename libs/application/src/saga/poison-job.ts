import { jobKeyHex } from '#libs/contracts';
import { deadLetter, POISON_PILL, retriesUsed, stopsOf, type JobRef } from '#libs/domain';
import { JobChange } from '../log/job-change.js';
import { LANE_INSIDE, type LogStore } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';

export type PoisonOutcome = 'dead-lettered' | 'finished' | 'unknown' | 'succeeded-since';

/**
 * Takes the job out that its workers die of, as a dead letter with the reason `poison_pill`, and tells whoever still runs it
 * to stop. Decided under the row's lock on everything committed: one that has ended meanwhile is left as it is. Repeatable.
 */
export class PoisonJob {
  constructor(
    private readonly log: LogStore,
    private readonly policies: PolicySource,
  ) {}

  /** `sinceMs`: when the incident was opened. Once for each: who has redriven the job since knows why. */
  async deadLetter(ref: JobRef, incidentId: string, sinceMs: number): Promise<PoisonOutcome> {
    const keyHex = jobKeyHex(ref);
    return await this.log.transact({ jobs: [{ ref, keyHex, eventKeys: [] }], lane: LANE_INSIDE, locked: 'wait', missing: 'ignore', lockLeases: true }, (batch) => {
      const job = batch.jobs.get(keyHex);
      if (job === undefined) return { writes: [], result: () => 'unknown' };
      const change = new JobChange(job, batch, this.policies);
      if (change.view.finished) {
        const { status } = change.view;
        return { writes: [], result: () => (status === 'succeeded' ? 'succeeded-since' : 'finished') };
      }
      if (job.state.decisions.some((d) => d.kind === 'dead-lettered' && d.reason === POISON_PILL && d.laneMs >= sinceMs)) return { writes: [], result: () => 'dead-lettered' };
      const draft = deadLetter(change.subject(), POISON_PILL, retriesUsed(job.state));
      change.decide({ ...draft, evidence: { ...draft.evidence, incidentId } });
      for (const stop of stopsOf(job.state, change.view.attempt)) change.decide(stop);
      return { writes: [change.finish()], result: () => 'dead-lettered' };
    });
  }
}

/** `namespace/queue/id`, as an assessment names a job: which of these queues it is in. null: none of them. */
export function jobNamed(subject: string, queues: readonly Pick<JobRef, 'namespace' | 'queue'>[]): JobRef | null {
  const found = queues
    .map(({ namespace, queue }) => ({ namespace, queue, prefix: `${namespace}/${queue}/` }))
    .filter(({ prefix }) => subject.startsWith(prefix))
    .sort((a, b) => b.prefix.length - a.prefix.length)[0];
  return found === undefined ? null : { namespace: found.namespace, queue: found.queue, id: subject.slice(found.prefix.length) };
}
