import type { Action, JobRef, Level, Threshold, Verdict } from '#libs/domain';

/** What the reconciler's runs found, for reports. Bounded: runs without a row are not kept. */
export interface ReconciliationStore {
  /** Answers the run's id. */
  put(run: ReconciliationRun): Promise<number>;
}

export type ReconciliationTrigger = 'schedule' | 'request' | 'dry-run';

export interface ReconciliationRun {
  readonly laneMs: number;
  readonly trigger: ReconciliationTrigger;
  /** Jobs looked at, decided, left with a would-have, held back. */
  readonly looked: number;
  readonly decided: number;
  readonly wouldHave: number;
  readonly held: number;
  readonly rows: readonly ReconciliationRow[];
}

export interface ReconciliationRow {
  readonly ref: JobRef;
  readonly attempt: number;
  readonly outcome: 'decided' | 'would-have' | 'reported' | 'held' | 'refused';
  readonly verdict: Verdict | null;
  readonly reason: string;
  /** What was, or would have been, decided. */
  readonly decisions: readonly string[];
  readonly threshold: Threshold | null;
  readonly action: Action | null;
  readonly level: Level;
  readonly worker: string | null;
  /** When its deadline passed, lane time ms. Absent in runs of before it was kept. */
  readonly dueMs?: number;
  /** `lane:http`, `quarantine`, `actions_off`; null unless held. */
  readonly heldBy: string | null;
  /** How long the verdict has been due, ms; null unless held. */
  readonly heldMs: number | null;
  /** Held through two looks or more: nobody has answered for it. */
  readonly unresolved: boolean;
  /** Why what was approved is not done: `not_due`, `changed`, `moved_on`, `expired`, `level_observe`. */
  readonly refusal?: string;
  /** Who has approved what was decided below act. */
  readonly approvedBy?: string;
}
