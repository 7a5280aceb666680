import type { Meant, OperateJob } from '../operate/operate-job.js';
import type { DeadLetterShelf } from '../ports/dead-letter-shelf.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';

/** Of one queue in one step, which is one transaction. */
const A_STEP = 100;

/** Who has discarded what nobody took. */
export const RETENTION_ACTOR = 'jobwarden:retention';

/**
 * Discards dead letters that nobody has taken within their queue's `retention` since they died. A decision like that of a
 * person: the last thing that is known of such a job is that, when and why it was given up.
 *
 * Clock: lane time. Safe on any number of replicas: of two at once the second finds the job discarded. Nor is a job discarded that
 * somebody has redriven since it was found.
 */
export class ExpireDeadLetters {
  constructor(
    private readonly shelf: DeadLetterShelf,
    private readonly jobs: Pick<OperateJob, 'callAll'>,
    private readonly policies: PolicySource,
  ) {}

  /** One step of every queue; true: there may be more. */
  async step(): Promise<boolean> {
    let more = false;
    for (const { namespace, queue, oldestMs } of await this.shelf.standing()) {
      const { retentionMs } = this.policies.policyFor({ namespace, queue }, null).policy;
      if (oldestMs <= retentionMs) continue;
      const expired = await this.shelf.expired({ namespace, queue }, { olderThanMs: retentionMs, limit: A_STEP });
      const reason = `nobody took it within the retention of ${String(retentionMs / 1_000)} s`;
      const meant: Meant = ({ status, sinceMs }, laneMs) => status === 'dead-lettered' && laneMs - sinceMs > retentionMs;
      await this.jobs.callAll(expired, 'discard', { by: RETENTION_ACTOR, reason }, meant);
      more ||= expired.length === A_STEP;
    }
    return more;
  }
}
