import { JobChange } from '../log/job-change.js';
import { has, MARKS } from '../log/verdict-marks.js';
import type { AuditStore, UnfinishedRequest, UnfinishedRow } from '../ports/audit-store.port.js';
import { LANE_INSIDE, type JobWrite, type LockedBatch, type LogStore } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import { shareOf } from './audit.js';
import type { AuditProgress } from './audit-report.js';

export interface RebuildSchedulesOptions {
  /** Whose policy changed; `all` when in doubt. */
  readonly queues: UnfinishedRequest['queues'];
  readonly onProgress?: (progress: AuditProgress) => void;
  readonly signal?: AbortSignal;
}

const BATCH = 100;

/**
 * Works out again when each unfinished job is looked at next, after a change of the policy or of what was learned. A job that rests on a
 * would-have is left alone: it is looked at again when something happens to it, not when a number in a file changes.
 * Repeatable; the service may run meanwhile.
 */
export class RebuildSchedules {
  constructor(
    private readonly store: Pick<AuditStore, 'unfinished'>,
    private readonly log: LogStore,
    private readonly policies: PolicySource,
  ) {}

  async run({
    queues,
    onProgress,
    signal,
  }: RebuildSchedulesOptions): Promise<{ readonly looked: number; readonly rescheduled: number }> {
    let after: string | null = null;
    let looked = 0;
    let rescheduled = 0;
    do {
      const page = await this.store.unfinished({ queues, after, limit: BATCH });
      if (page.rows.length > 0) rescheduled += await this.reschedule(page.rows);
      looked += page.rows.length;
      after = page.next;
      onProgress?.({ phase: 'schedules', share: shareOf(after), rows: looked, found: rescheduled });
    } while (after !== null && signal?.aborted !== true);
    return { looked, rescheduled };
  }

  private async reschedule(rows: readonly UnfinishedRow[]): Promise<number> {
    return await this.log.transact(
      {
        jobs: rows.map(({ ref, keyHex }) => ({ ref, keyHex, eventKeys: [] })),
        lane: LANE_INSIDE,
        locked: 'wait',
        missing: 'ignore',
        lockLeases: true,
      },
      (batch) => {
        const writes = rows.flatMap((row) => this.moved(row, batch) ?? []);
        return { writes, result: () => writes.length };
      },
    );
  }

  /** null: its schedule stays as it is. */
  private moved(row: UnfinishedRow, batch: LockedBatch): JobWrite | null {
    const job = batch.jobs.get(row.keyHex);
    // An open would-have under the lock: it has come to rest since the page was read.
    if (job === undefined || has(job.verdictMarks, MARKS.resting) || job.version === 0) return null;
    const change = new JobChange(job, batch, this.policies);
    if (change.view.finished) return null;
    const plan = change.plan(reportedUntil(row, batch.laneMs));
    const dueMs = plan?.dueMs ?? null;
    if (dueMs === row.lookAtMs && (plan?.waitsFor ?? null) === row.waitsFor) return null;
    return change.finish(dueMs === null ? {} : { lookAtMs: dueMs });
  }
}

/**
 * A waiting job is reported as starved once, then ever more rarely. Before its first report the first one is due,
 * however long that is ago; after it the next one, which may be due already and not made.
 */
function reportedUntil({ reported, lookAtMs }: UnfinishedRow, laneMs: number): number {
  if (!reported) return 0;
  return lookAtMs === null ? laneMs : Math.min(laneMs, lookAtMs - 1);
}
