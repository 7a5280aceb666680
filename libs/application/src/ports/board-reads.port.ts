import type { Gate } from '#libs/domain';

/**
 * What boards show beside what is counted as it happens: figures of the whole database, for the one replica that exports
 * them. Each read is one statement that never walks the jobs. Errors: RetryableError when the database is away.
 */
export interface BoardReads {
  /** By queue, of workers that told within the last minute how they stand while they held a job of it. */
  workers(): Promise<readonly WorkersOfQueue[]>;
  /** Queues that do not let in everything. */
  intake(): Promise<readonly IntakeOfQueue[]>;
  /** Open ones. */
  incidents(): Promise<IncidentFigures>;
  /** Revisions that worked in a queue in stretches that began at `sinceMs` or later, lane time ms. */
  revisions(sinceMs: number): Promise<readonly RevisionOfQueue[]>;
  /** Of evidence that is kept, without what was erased. */
  evidenceBytes(): Promise<number>;
}

export interface WorkersOfQueue {
  readonly queue: string;
  readonly workers: number;
  /** Of the fullest, 0 to 1; null: none tells. */
  readonly heapRatio: number | null;
  /** Of the one that lags most, ms; null: none tells. */
  readonly loopLagMs: number | null;
  /** Sums; null: none tells. */
  readonly poolInUse: number | null;
  readonly poolWaiting: number | null;
}

export interface IntakeOfQueue {
  readonly queue: string;
  readonly gate: Exclude<Gate, 'open'>;
  /** Claims; null: it is paused. */
  readonly perSecond: number | null;
  /** What the run of an open incident lets in, in percent of what is normal; null: none holds it. */
  readonly sharePercent: number | null;
}

export interface IncidentFigures {
  /** Of saturation, by the cause that was assessed; null: none was. */
  readonly causes: readonly { readonly cause: string | null; readonly count: number }[];
  /** By the queues that they are about. */
  readonly queues: readonly { readonly queue: string; readonly kind: string; readonly count: number }[];
}

export interface RevisionOfQueue {
  readonly queueId: number;
  readonly queue: string;
  readonly revision: string;
  /** Where the first and the last stretch begin in which it was heard of, lane time ms. */
  readonly firstMs: number;
  readonly lastMs: number;
}
