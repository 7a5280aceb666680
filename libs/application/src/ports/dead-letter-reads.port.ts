import type { JobRef, Pattern, ReviewOutcome } from '#libs/domain';
import type { JobRow, Page, PageOf } from './read-models.port.js';

/** Dead letters by pattern, as far as they have been sorted: within a second or two of the log. */
export interface DeadLetterReads {
  /** Most arrivals first. One that gets more while somebody turns the pages moves up, and may be missed by them. */
  patterns(filter: PatternFilter, page: Page): Promise<PatternList>;
  /** null: there is none of that id. */
  pattern(id: string): Promise<PatternDetailRow | null>;
  /** The jobs of a pattern that are dead still, newest death first; each once. */
  letters(patternId: string, page: Page): Promise<PageOf<JobRow>>;
  /** Of which pattern its newest death is; null: it has not been sorted yet, or never died. */
  patternOf(ref: JobRef): Promise<string | null>;
  /** The newest review of the namespace: of this queue, or of all of them. */
  lastReview(scope: ReviewScope): Promise<ReviewRow | null>;
}

export interface ReviewScope {
  readonly namespace: string;
  readonly queue?: string;
}

export interface PatternFilter extends ReviewScope {
  /** What counts as arrived: from then on, lane time ms, in whole hours of UTC. Of pages behind the first one their cursor says it. */
  readonly sinceMs: number;
  /** Only those of which one arrived. */
  readonly arrivedOnly: boolean;
  /** Only those with a mark. */
  readonly markedOnly: boolean;
  /** The last review of the whole, lane time ms, on which marks rest; null: there was none. */
  readonly reviewedMs: number | null;
}

export interface PatternList extends PageOf<PatternRow> {
  /** From when on something counted as arrived: a whole hour. */
  readonly sinceMs: number;
  /** Dead letters that arrived, of all patterns that the filter finds. */
  readonly arrived: number;
  /** Patterns that the filter finds. */
  readonly total: number;
  /** Jobs that are dead now in the queue, or in all of the namespace, whenever they died. */
  readonly dead: number;
}

export interface PatternRow {
  readonly id: string;
  readonly namespace: string;
  readonly queue: string;
  readonly kind: string | null;
  readonly pattern: Pattern;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Ever. */
  readonly letters: number;
  /** Whether one of them is dead still; null: that would take too long to find out. */
  readonly stillDead: boolean | null;
  readonly arrived: number;
  /** Of each of the last 24 hours, the running one last. */
  readonly trend: readonly number[];
  readonly review: PatternReviewRow | null;
}

export interface PatternReviewRow {
  readonly outcome: ReviewOutcome;
  readonly atMs: number;
  readonly by: string;
  readonly reason: string;
}

export interface PatternDetailRow extends PatternRow {
  /** Ascending; hours without any are left out. */
  readonly hours: readonly { readonly fromMs: number; readonly letters: number }[];
  readonly revisions: readonly { readonly name: string | null; readonly letters: number }[];
  readonly workers: readonly { readonly name: string | null; readonly letters: number }[];
  /** Newest first, at most 20. */
  readonly reviews: readonly PatternReviewRow[];
}

export interface ReviewRow {
  readonly atMs: number;
  readonly by: string;
  readonly reason: string;
  /** null: of the whole namespace. */
  readonly queue: string | null;
}

/** What people say of dead letters. Kept; changes no job. */
export interface DeadLetterDesk {
  /** false: there is no such pattern. */
  reviewPattern(id: string, review: { readonly outcome: ReviewOutcome; readonly by: string; readonly reason: string }): Promise<boolean>;
  /** Says that all dead letters so far were looked through. */
  review(scope: ReviewScope, review: { readonly by: string; readonly reason: string }): Promise<ReviewRow>;
}
