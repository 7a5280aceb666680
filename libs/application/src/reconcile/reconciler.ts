import type { DueJob, DueStore, JobRefScope } from '../ports/due-store.port.js';
import type { LaneClock, LaneReading } from '../ports/lane-clock.port.js';
import { LANE_INSIDE, type JobWrite, type LockedBatch, type LogStore, type WriteSet } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { ReconciliationRow, ReconciliationRun, ReconciliationStore } from '../ports/reconciliation-store.port.js';
import { lookAt, type Look, type LookContext } from './look.js';

export interface ReconcilerParts {
  readonly due: DueStore;
  readonly log: LogStore;
  readonly clock: LaneClock;
  readonly policies: PolicySource;
  readonly runs: ReconciliationStore;
}

export interface RunOptions {
  /** Nothing is written; the rows say what would happen now. */
  readonly dryRun?: boolean;
  /** Only this queue. */
  readonly queue?: JobRefScope;
  readonly requested?: boolean;
}

export interface RunResult extends ReconciliationRun {
  /** null: the run found nothing to tell and is not kept. */
  readonly id: number | null;
  /** More was due than one run looks at. */
  readonly more: boolean;
}

/** Jobs per transaction: long enough to pay for its commit, short enough not to keep workers waiting for a row. */
const CHUNK = 100;
const PER_QUEUE = 200;
const PER_RUN = 1_000;

/**
 * The reconciler: finds what is due and looks at it. Any number of replicas may run: rows are taken with skip locked,
 * decided under their lock on the fold of everything committed, and every decision has a number.
 *
 * Clocks: lane time only. A deadline that an unread event could clear counts up to how far the lanes had been read when
 * this run began, which can only have grown since. Failure: a run that breaks off leaves whole jobs, decided or not.
 */
export class Reconciler {
  constructor(
    private readonly parts: ReconcilerParts,
    private readonly options: { readonly actionsAllowed: boolean } = { actionsAllowed: true },
  ) {}

  async runOnce(run: RunOptions = {}): Promise<RunResult> {
    if (run.requested === true) await this.parts.clock.refresh();
    const reading = await this.parts.clock.read();
    const due = await this.parts.due.due({
      nowMs: reading.nowMs,
      perQueue: PER_QUEUE,
      limit: PER_RUN,
      ...(run.queue !== undefined && { queue: run.queue }),
    });
    const looks: Look[] = [];
    for (let at = 0; at < due.length; at += CHUNK) {
      looks.push(...(await this.lookAtChunk(due.slice(at, at + CHUNK), reading, run)));
    }
    return await this.told(looks, reading, run, due.length >= PER_RUN);
  }

  private async lookAtChunk(due: readonly DueJob[], reading: LaneReading, run: RunOptions): Promise<readonly Look[]> {
    const context: LookContext = {
      readMs: reading.readMs,
      heldBy: reading.heldBy,
      policies: this.parts.policies,
      actionsEnabled: this.options.actionsAllowed,
    };
    const jobs = due.map(({ ref, keyHex }) => ({ ref, keyHex, eventKeys: [] }));
    return await this.parts.log.transact(
      { jobs, lane: LANE_INSIDE, locked: 'skip', missing: 'ignore', lockLeases: true },
      (locked) => lookAtAll(locked, context, run.dryRun === true),
    );
  }

  private async told(looks: readonly Look[], reading: LaneReading, run: RunOptions, more: boolean): Promise<RunResult> {
    const rows = looks.flatMap((l) => (l.row === null ? [] : [l.row]));
    const count = (outcome: ReconciliationRow['outcome']): number => rows.filter((r) => r.outcome === outcome).length;
    const told: ReconciliationRun = {
      laneMs: reading.nowMs,
      trigger: run.dryRun === true ? 'dry-run' : run.requested === true ? 'request' : 'schedule',
      looked: looks.length,
      decided: count('decided'),
      wouldHave: count('would-have'),
      held: count('held'),
      rows,
    };
    // Held rows come again every half second: only what is new, or was asked for, is kept.
    const kept = run.requested === true || rows.some((r) => r.outcome !== 'held' || !r.unresolved);
    const id = kept && run.dryRun !== true && (rows.length > 0 || run.requested === true) ? await this.parts.runs.put(told) : null;
    return { ...told, id, more };
  }
}

function lookAtAll(locked: LockedBatch, context: LookContext, dryRun: boolean): WriteSet<readonly Look[]> {
  const looks = [...locked.jobs.values()].map((job) => lookAt(job, locked, context));
  const writes: readonly JobWrite[] = dryRun ? [] : looks.map((l) => l.write);
  return { writes, result: () => looks };
}
