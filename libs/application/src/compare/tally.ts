import type { ComparisonSummary, MendOutcome } from './difference.js';
import type { DifferenceKind } from './judge.js';

/** What a comparison has counted so far. */
export class Tally {
  compared = 0;
  same = 0;
  moved = 0;
  broken = 0;
  private readonly differences: Record<DifferenceKind, number> = {
    unknown_here: 0,
    unknown_there: 0,
    theirs_behind: 0,
    theirs_ahead: 0,
    differs: 0,
  };
  private readonly mended: Record<MendOutcome['outcome'], number> | null;

  constructor(mends: boolean) {
    this.mended = mends ? { done: 0, 'would-have': 0, held: 0, 'not-applicable': 0 } : null;
  }

  count(kind: DifferenceKind, mended: MendOutcome | null): void {
    this.differences[kind] += 1;
    if (mended !== null && this.mended !== null) this.mended[mended.outcome] += 1;
  }

  summary(asOfMs: number): ComparisonSummary {
    const { compared, same, moved, broken } = this;
    return {
      compared,
      same,
      moved,
      broken,
      differences: { ...this.differences },
      mended: this.mended === null ? null : { ...this.mended },
      asOfMs,
    };
  }
}
