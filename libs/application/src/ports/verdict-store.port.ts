import type { APPROVABLE_STATES } from '#libs/contracts';
import type { Action, Verdict } from '#libs/domain';

/** Verdicts beside the writer: approvals, grades by time, and acts that turned out wrong. */
export interface VerdictStore {
  /**
   * Confirms would-haves and acts whose time of silence has passed by `readMs`, at most `limit` of them; answers how many.
   * Cost depends on how many are due. Repeatable, on any number of replicas at once.
   */
  confirmSilent(readMs: number, limit: number): Promise<number>;
  /** What can be approved by this filter; of ids, all that there are. At most `limit`, oldest first. */
  approvable(which: ApprovalScope, limit: number): Promise<{ readonly total: number; readonly verdicts: readonly ApprovableVerdict[] }>;
  /**
   * One transaction: approves all of them, and makes their jobs due. false: one of them has moved on meanwhile, and
   * nothing is written.
   */
  approve(verdicts: readonly (ApprovableVerdict & { readonly holdsMs: number })[], who: ApprovedBy): Promise<boolean>;
  /** Acts that turned out wrong and were not answered yet, oldest first. */
  wrongActs(limit: number): Promise<readonly WrongAct[]>;
  /** Answers which of them nobody had answered before. */
  answered(ids: readonly string[]): Promise<readonly string[]>;
}

export interface ApprovedBy {
  readonly by: string;
  readonly reason: string;
}

export type ApprovalScope = { readonly namespace: string } & (
  | { readonly ids: readonly string[] }
  | { readonly filter: ApprovalFilter }
);

/** All that is given must fit. */
export interface ApprovalFilter {
  readonly queue?: string;
  readonly action?: Action;
  readonly verdict?: Verdict;
  readonly reason?: string;
  readonly state?: (typeof APPROVABLE_STATES)[number];
  /** Said last at this lane time or before, ms. */
  readonly untilMs?: number;
}

export interface ApprovableVerdict {
  readonly id: string;
  readonly keyHex: string;
  readonly namespace: string;
  readonly queue: string;
  readonly action: Action | null;
  readonly state: string;
  /** The job still is where it was; false: it has moved on. */
  readonly stands: boolean;
}

export interface WrongAct {
  readonly id: string;
  readonly namespace: string;
  readonly queue: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly action: Action;
  /** At which it was done. */
  readonly level: string;
  readonly reason: string;
  readonly decision: string;
  readonly worker: string | null;
  /** When it was done, and when it was found wrong, lane time ms. */
  readonly atMs: number;
  readonly gradedMs: number;
}
