import type { JobRef } from '#libs/domain';
import type { JobStanding } from '../ports/compare-store.port.js';
import type { DifferenceKind, Theirs } from './judge.js';
import type { BrokenLine } from './their-line.js';

/** One job on which two views differ. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** null: no line of theirs names it. */
  readonly line: number | null;
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly theirs: Theirs;
  /** null: nothing has ever been heard of it here. */
  readonly ours: JobStanding | null;
}

export const MENDS = ['invalidate', 'requeue'] as const;
export type Mend = (typeof MENDS)[number];

export interface MendRequest {
  readonly mend: Mend;
  readonly reason: string;
  /** Who asks. */
  readonly by: string;
}

/**
 *   done             decided, and goes out
 *   would-have       the queue's level is below act: nothing was done
 *   held             something speaks against it; `why` says what
 *   not-applicable   it does not mend a difference of this kind, or the job has gone on
 */
export const MEND_OUTCOMES = ['done', 'would-have', 'held', 'not-applicable'] as const;
export interface MendOutcome {
  readonly outcome: (typeof MEND_OUTCOMES)[number];
  readonly why: string | null;
}

/** Carries out what was asked for, one outcome per difference and in their order. */
export interface Mender {
  mend(differences: readonly Difference[], request: MendRequest): Promise<readonly MendOutcome[]>;
}

export interface ComparisonSummary {
  /** Lines that were read as a job. */
  readonly compared: number;
  /** Of them and of the complete list: without a difference, and not in motion. */
  readonly same: number;
  /** Differed for a moment, or since a moment: they moved while, or after, the list was made. */
  readonly moved: number;
  readonly broken: number;
  readonly differences: Readonly<Record<DifferenceKind, number>>;
  /** null: nothing was to be mended. */
  readonly mended: Readonly<Record<MendOutcome['outcome'], number>> | null;
  /** Changes after this instant count as movement, lane time ms. */
  readonly asOfMs: number;
}

export type CompareItem =
  | { readonly type: 'difference'; readonly difference: Difference; readonly mended: MendOutcome | null }
  | { readonly type: 'broken'; readonly broken: BrokenLine }
  | { readonly type: 'summary'; readonly summary: ComparisonSummary };
