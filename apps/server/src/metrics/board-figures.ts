import type { BoardReads, IntakeOfQueue, QueueDepth, RevisionQuarantine, RunTimeBaseline, WorkersOfQueue } from '#libs/application';
import { CAUSES, INCIDENT_KINDS, type Cause, type IncidentKind } from '#libs/domain';
import type { Metrics } from '#libs/observability';
import { RevisionsSeen } from './revisions-seen.js';

export interface BoardParts {
  readonly metrics: Metrics;
  readonly reads: BoardReads;
  readonly baselines: () => Iterable<RunTimeBaseline>;
  readonly revisions: Pick<RevisionQuarantine, 'refusedOf'>;
}

/** What boards show of the whole database: of the one replica that exports it, absent on the others. */
export class BoardFigures {
  private readonly seen: RevisionsSeen;

  constructor(private readonly parts: BoardParts) {
    this.seen = new RevisionsSeen(parts.reads);
  }

  /** `nowMs`: lane time. */
  async read(depths: readonly QueueDepth[], nowMs: number): Promise<void> {
    const { metrics, reads, baselines, revisions } = this.parts;
    metrics.oldestWaiting.replace(depths.flatMap(({ queue, oldestWaitingMs: ms }) => (ms === null ? [] : [[{ queue }, ms / 1_000] as const])));
    metrics.revisionsRefused.replace(depths.map((queue) => [{ queue: queue.queue }, revisions.refusedOf(queue).length] as const));
    metrics.runBaseline.replace(
      [...baselines()].flatMap(({ queue, p50Ms, p99Ms }) => [
        [{ queue, quantile: '0.5' }, p50Ms / 1_000] as const,
        [{ queue, quantile: '0.99' }, p99Ms / 1_000] as const,
      ]),
    );
    this.setIntake(depths, await reads.intake());
    this.setWorkers(await reads.workers());
    this.setIncidents(await reads.incidents());
    const seen = await this.seen.read(nowMs);
    metrics.revisionFirstSeen.replace(seen.map(({ queue, revision, firstMs }) => [{ queue, revision }, firstMs / 1_000] as const));
    metrics.evidenceKept.set({}, await reads.evidenceBytes());
  }

  forget(): void {
    const { metrics } = this.parts;
    this.seen.forget();
    for (const gauge of [metrics.oldestWaiting, metrics.revisionsRefused, metrics.runBaseline, metrics.intakeRatio, metrics.intakeLimit]) gauge.replace([]);
    for (const gauge of [metrics.incidentCauses, metrics.queueIncidents, metrics.revisionFirstSeen]) gauge.replace([]);
    metrics.evidenceKept.forget({});
    this.setWorkers([]);
  }

  private setIntake(depths: readonly QueueDepth[], held: readonly IntakeOfQueue[]): void {
    const { metrics } = this.parts;
    const names = new Set(held.map(({ queue }) => queue));
    const open = depths.filter(({ queue }) => !names.has(queue)).map(({ queue }) => [{ queue }, 1] as const);
    const parts = held.flatMap(({ queue, gate, sharePercent }) => {
      if (gate === 'paused') return [[{ queue }, 0] as const];
      return sharePercent === null ? [] : [[{ queue }, sharePercent / 100] as const];
    });
    metrics.intakeRatio.replace([...open, ...parts]);
    metrics.intakeLimit.replace(held.flatMap(({ queue, gate, perSecond }) => (gate === 'throttled' && perSecond !== null ? [[{ queue }, perSecond] as const] : [])));
  }

  private setWorkers(rows: readonly WorkersOfQueue[]): void {
    const { metrics } = this.parts;
    const told = (figure: (row: WorkersOfQueue) => number | null) =>
      rows.flatMap((row) => {
        const value = figure(row);
        return value === null ? [] : [[{ queue: row.queue }, value] as const];
      });
    metrics.workerProcesses.replace(told(({ workers }) => workers));
    metrics.workerHeap.replace(told(({ heapRatio }) => heapRatio));
    metrics.workerLoopLag.replace(told(({ loopLagMs }) => (loopLagMs === null ? null : loopLagMs / 1_000)));
    metrics.workerPoolInUse.replace(told(({ poolInUse }) => poolInUse));
    metrics.workerPoolWaiting.replace(told(({ poolWaiting }) => poolWaiting));
  }

  private setIncidents({ causes, queues }: Awaited<ReturnType<BoardReads['incidents']>>): void {
    const { metrics } = this.parts;
    const none = [...CAUSES, 'unassessed' as const].map((cause) => [{ cause }, 0] as const);
    // Of another version of the program it may be another word, which the label then counts as `other`.
    metrics.incidentCauses.replace([...none, ...causes.map(({ cause, count }) => [{ cause: (cause ?? 'unassessed') as Cause | 'unassessed' }, count] as const)]);
    metrics.queueIncidents.replace(queues.map(({ queue, kind, count }) => [{ queue, kind: kind as IncidentKind }, count] as const));
  }
}

/** Kinds of incidents, each with none: what is not among the open ones is 0, not absent. */
export const NO_INCIDENTS = INCIDENT_KINDS.map((kind) => [{ kind }, 0] as const);
