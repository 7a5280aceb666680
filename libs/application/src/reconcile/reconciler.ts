import type { Blackouts } from '../guards/blackouts.js';
import type { Probing } from '../guards/probing.js';
import { RecoveryGuards } from '../guards/recovery-guards.js';
import type { DueJob, DueStore, JobRefScope } from '../ports/due-store.port.js';
import { RetryableError } from '../ports/errors.js';
import type { RequeuedAttempt } from '../ports/guard-store.port.js';
import type { LaneClock, LaneReading } from '../ports/lane-clock.port.js';
import { LANE_INSIDE, type JobWrite, type LockedBatch, type LogStore, type WriteSet } from '../ports/log-store.port.js';
import { asLocked } from '../policies/as-locked.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { ReconciliationRow, ReconciliationRun, ReconciliationStore } from '../ports/reconciliation-store.port.js';
import type { Traces } from '../ports/traces.port.js';
import { tellLooks } from '../traces/told-looks.js';
import { lookAt, UNRESOLVED_AFTER_MS, type Look, type LookContext } from './look.js';

export interface ReconcilerParts {
  readonly due: DueStore;
  readonly log: LogStore;
  readonly clock: LaneClock;
  readonly policies: PolicySource;
  readonly runs: ReconciliationStore;
  /** Looks at the queues before any of their jobs is looked at. */
  readonly blackouts: Pick<Blackouts, 'watch'>;
  readonly probing: Pick<Probing, 'watch' | 'follow'>;
  /** Default: nobody collects spans. */
  readonly traces?: Traces | undefined;
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
  /** More may be due than one run looks at. */
  readonly more: boolean;
}

/** Jobs per transaction: long enough to pay for its commit, short enough not to keep workers waiting for a row. */
const CHUNK = 100;
/** Of each queue at least; where few are due, they share the run. */
const PER_QUEUE = 200;
const PER_RUN = 1_000;
/** A job that could not be looked at is left alone for so many runs; of the schedule's that is a quarter of a minute. */
const ASIDE_RUNS = 75;

export interface ReconcilerOptions {
  /** false: this replica lets nothing out. */
  readonly actionsAllowed: boolean;
  /** A job that cannot be looked at, and why: somebody has to mend it. */
  readonly unlookable?: (job: DueJob, error: unknown) => void;
}

/**
 * The reconciler: finds what is due and looks at it. Any number of replicas may run: rows are taken with skip locked,
 * decided under their lock on the fold of everything committed, and every decision has a number.
 *
 * Levels and gates are those of the transaction, where they are more careful than those in memory.
 *
 * Clocks: lane time only. A deadline that an unread event could clear counts up to how far the lanes had been read when
 * this run began, which can only have grown since. Failure: a run that breaks off leaves whole jobs, decided or not.
 * Jobs that cannot be written fail alone: their chunk is bisected, they are told of and left aside for a while, and the
 * others go on. They stay due, so the report counts them as unresolved.
 */
export class Reconciler {
  private runs = 0;
  private perQueue = PER_QUEUE;
  /** By key, the run from which on the job is looked at again. */
  private readonly aside = new Map<string, number>();

  constructor(
    private readonly parts: ReconcilerParts,
    private readonly options: ReconcilerOptions = { actionsAllowed: true },
  ) {}

  async runOnce(run: RunOptions = {}): Promise<RunResult> {
    const since = this.parts.traces?.now() ?? 0;
    if (run.requested === true) await this.parts.clock.refresh();
    const reading = await this.parts.clock.read();
    const due = await this.parts.due.due({
      nowMs: reading.nowMs,
      perQueue: this.perQueue,
      limit: PER_RUN,
      ...(run.queue !== undefined && { queue: run.queue }),
    });
    const full = this.isFull(due);
    this.runs += 1;
    for (const [key, until] of this.aside) if (until <= this.runs) this.aside.delete(key);
    if (run.dryRun !== true) {
      await this.parts.blackouts.watch(due, reading);
      await this.parts.probing.watch(reading.nowMs);
    }
    const open = due.filter((job) => !this.aside.has(job.keyHex));
    const looks: Look[] = [];
    for (let at = 0; at < open.length; at += CHUNK) {
      looks.push(...(await this.lookAtEach(open.slice(at, at + CHUNK), reading, run)));
    }
    if (run.dryRun !== true) await this.parts.probing.follow(looks.flatMap(requeuedBy));
    const told = await this.told(looks, reading, run, looks.length > 0 && full);
    if (this.parts.traces !== undefined) tellLooks(this.parts.traces, looks, told, since);
    return told;
  }

  /**
   * There may be more than was found due: the run is full, or a queue has had all of its share. A queue of many running
   * jobs has more of them due between two looks than one share, so the next one is what the others leave of a run.
   */
  private isFull(due: readonly DueJob[]): boolean {
    const queues = Map.groupBy(due, ({ ref: { namespace, queue } }) => `${namespace}\0${queue}`);
    const full = due.length >= PER_RUN || [...queues.values()].some((jobs) => jobs.length >= this.perQueue);
    this.perQueue = Math.max(PER_QUEUE, Math.floor(PER_RUN / Math.max(1, queues.size)));
    return full;
  }

  private async lookAtEach(due: readonly DueJob[], reading: LaneReading, run: RunOptions): Promise<readonly Look[]> {
    try {
      return await this.lookAtChunk(due, reading, run);
    } catch (error) {
      const [job] = due;
      if (error instanceof RetryableError || job === undefined) throw error;
      if (due.length === 1) {
        this.aside.set(job.keyHex, this.runs + ASIDE_RUNS);
        this.options.unlookable?.(job, error);
        return [];
      }
      const middle = Math.ceil(due.length / 2);
      const [left, right] = [due.slice(0, middle), due.slice(middle)];
      return [...(await this.lookAtEach(left, reading, run)), ...(await this.lookAtEach(right, reading, run))];
    }
  }

  private async lookAtChunk(due: readonly DueJob[], reading: LaneReading, run: RunOptions): Promise<readonly Look[]> {
    const context: LookContext = {
      reading,
      policies: this.parts.policies,
      actionsEnabled: this.options.actionsAllowed,
    };
    const jobs = due.map(({ ref, keyHex }) => ({ ref, keyHex, eventKeys: [] }));
    return await this.parts.log.transact(
      { jobs, lane: LANE_INSIDE, locked: 'skip', missing: 'ignore', lockLeases: true, guards: true },
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
    if (run.dryRun === true) return { ...told, id: null, more };
    if (run.requested === true) return { ...told, id: await this.parts.runs.put(told), more };
    const news = looks.flatMap((l) => (l.row !== null && (l.keptBack === true || isNews(l.row)) ? [l.row] : []));
    return { ...told, id: news.length > 0 ? await this.parts.runs.put({ ...told, rows: news }) : null, more };
  }
}

/** Of Jobwarden's own accord: what a person asked for says nothing of how the queue fares. */
function requeuedBy({ row, write }: Look): readonly RequeuedAttempt[] {
  if (row?.outcome !== 'decided' || row.action === null || !row.decisions.includes('requeued')) return [];
  return [{ queueId: write.job.queueId, keyHex: write.job.keyHex, attempt: write.view.attempt }];
}

/**
 * What a run of the schedule keeps. Nearly every deadline is held for a moment, until the lanes have been read up to it:
 * that is no news. One that stays held is told when it becomes unresolved, and not again at every look.
 */
function isNews({ outcome, heldMs }: ReconciliationRow): boolean {
  return outcome !== 'held' || (heldMs !== null && heldMs > UNRESOLVED_AFTER_MS && heldMs <= 2 * UNRESOLVED_AFTER_MS);
}

function lookAtAll(locked: LockedBatch, seen: LookContext, dryRun: boolean): WriteSet<readonly Look[]> {
  const context = { ...seen, policies: asLocked(seen.policies, locked) };
  const guards = new RecoveryGuards(locked, context.policies);
  // In order of due: what there is goes to those who have waited longest.
  const jobs = [...locked.jobs.values()].sort((a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0));
  const looks = jobs.map((job) => lookAt(job, locked, context, guards));
  const writes: readonly JobWrite[] = dryRun ? [] : looks.map((l) => l.write);
  return { writes, ...(!dryRun && { spends: guards.spends, probes: guards.probes }), result: () => looks };
}
