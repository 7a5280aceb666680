import type { OutcomeCounts } from './outcome-counts.js';

/**
 * What the log tells of one or several queues over [fromMs, toMs), and of some time before it. All that a cause is worked
 * out from; lane times, ms. Lists are bounded by whoever reads them, so a window costs the same in a quiet hour and in one
 * in which everything fails.
 */
export interface CauseWindow {
  readonly fromMs: number;
  readonly toMs: number;
  /** `cells` before `fromMs` begin here: what was usual. The same as `fromMs`: nothing is known of it. */
  readonly baselineFromMs: number;
  readonly queues: readonly WindowQueue[];
  /** Counts from `baselineFromMs` to `toMs`, in any order. What nothing was counted in is left out. */
  readonly cells: readonly WindowCell[];
  /** Per queue and revision. */
  readonly revisions: readonly RevisionSeen[];
  /** Some of the attempts that failed or were lost in [fromMs, toMs), of jobs that have not succeeded since: the newest. */
  readonly attempts: readonly BadAttempt[];
  /** There were more, or may have been. */
  readonly attemptsLeftOut: boolean;
  readonly workers: readonly WorkerSeen[];
}

export interface WindowQueue {
  /** `namespace/queue`, as everywhere in a window. */
  readonly queue: string;
  /** Jobs that wait at `toMs`; null: unknown. */
  readonly waiting: number | null;
}

export interface WindowCell {
  readonly queue: string;
  /** Where the stretch begins; in the window it is {@link OUTCOME_SLOT_MS} long, before it maybe longer. */
  readonly slotMs: number;
  readonly kind: string;
  /** Empty: none was named. */
  readonly revision: string;
  readonly track: string;
  readonly counts: OutcomeCounts;
}

export interface RevisionSeen {
  readonly queue: string;
  readonly revision: string;
  /** When it was first heard of; null: it is as old as what is known of the queue. */
  readonly firstMs: number | null;
  readonly lastMs: number;
}

/** An attempt that did not succeed. */
export interface BadAttempt {
  readonly queue: string;
  readonly job: string;
  readonly kind: string;
  readonly attempt: number;
  readonly end: 'failed' | 'lost';
  /** When it was told, or found lost. */
  readonly endedMs: number;
  /** null: unknown. */
  readonly runMs: number | null;
  readonly worker: string | null;
  readonly revision: string;
  /** Its job was given up, because so many workers had fallen silent with it. */
  readonly poisonPill?: true;
  /** Of `failed`; null where it was not told. */
  readonly class: string | null;
  readonly message: string | null;
  readonly code: string | null;
  readonly responseStatus: number | null;
}

/** A worker process: one incarnation. */
export interface WorkerSeen {
  readonly worker: string;
  readonly revision: string;
  /** That it has beaten with a job of, as far as the window goes; left out: nobody knows. */
  readonly queues?: readonly string[];
  /** When it was last heard of. */
  readonly lastMs: number;
  /** In order of time. */
  readonly samples: readonly WorkerSample[];
}

export interface WorkerSample {
  readonly atMs: number;
  /** Bytes. */
  readonly heapUsed: number | null;
  readonly heapLimit: number | null;
  readonly rss: number | null;
  readonly loopLagMs: number | null;
  readonly poolInUse: number | null;
  readonly poolWaiting: number | null;
  readonly lockWaits: readonly { readonly resource: string; readonly holder: string | null; readonly waitedMs: number }[];
}
