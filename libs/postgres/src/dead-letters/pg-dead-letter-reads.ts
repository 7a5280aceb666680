import type {
  DeadLetterDesk,
  DeadLetterReads,
  JobRow,
  Page,
  PageOf,
  PatternDetailRow,
  PatternFilter,
  PatternList,
  PatternReviewRow,
  PatternRow,
  ReviewRow,
  ReviewScope,
} from '#libs/application';
import { jobKey } from '#libs/contracts';
import type { JobRef, ReviewOutcome } from '#libs/domain';
import { hexes } from '../arrays.js';
import type { Queryable } from '../database.js';
import { JOB_ROWS } from '../read/job-statements.js';
import { jobRow, type StoredJob } from '../read/job-reads.js';
import { invalidCursor, onePast, paged, rowId } from '../read/paging.js';
import * as sql from './read-statements.js';

const HOUR_MS = 3_600_000;

interface StoredPattern {
  readonly pattern_id: number;
  readonly namespace: string;
  readonly queue: string;
  readonly kind: string | null;
  readonly reason: string;
  readonly class: string | null;
  readonly message: string;
  readonly frames: string;
  readonly first_ms: number;
  readonly last_ms: number;
  readonly letters: number;
  readonly still_dead: boolean | null;
  readonly arrived: number;
  readonly trend: string;
  readonly outcome: ReviewOutcome | null;
  readonly outcome_ms: number | null;
  readonly outcome_by: string | null;
  readonly outcome_why: string | null;
}

interface StoredReview {
  readonly at_ms: number;
  readonly made_by: string;
  readonly reason: string;
  readonly queue: string | null;
}

export class PgDeadLetterReads implements DeadLetterReads, DeadLetterDesk {
  constructor(private readonly database: Queryable) {}

  async patterns({ namespace, queue, sinceMs, arrivedOnly, markedOnly, reviewedMs }: PatternFilter, page: Page): Promise<PatternList> {
    const { hour = Math.floor(sinceMs / HOUR_MS), behind } = patternAfter(page);
    const values = [namespace, queue ?? null, hour, arrivedOnly, markedOnly, reviewedMs, onePast(page), ...behind];
    const rows = await this.database.query<(StoredPattern | { readonly pattern_id: null }) & { total: number; all_arrived: number; dead: number }>(sql.PATTERNS, values);
    const patterns = rows.flatMap((row) => (row.pattern_id === null ? [] : [row]));
    const { items, next } = paged(patterns, page, (row) => [hour, row.arrived, row.last_ms, row.pattern_id].join('.'), patternRow);
    return { items, next, sinceMs: hour * HOUR_MS, arrived: rows[0]?.all_arrived ?? 0, total: rows[0]?.total ?? 0, dead: rows[0]?.dead ?? 0 };
  }

  async pattern(id: string): Promise<PatternDetailRow | null> {
    const number = rowId(id);
    const [row] = number === null ? [] : await this.database.query<StoredPattern>(sql.PATTERN, [number]);
    if (row === undefined) return null;
    const hours = await this.database.query<{ hour: number; letters: number }>(sql.HOURS, [number]);
    const reviews = await this.database.query<StoredReview & { outcome: ReviewOutcome }>(sql.PATTERN_REVIEWS, [number]);
    const shares = await this.database.query<{ what: string; name: string | null; letters: number }>(sql.SHARES, [number]);
    const of = (what: string) => shares.filter((share) => share.what === what).map(({ name, letters }) => ({ name, letters }));
    return {
      ...patternRow(row),
      hours: hours.map(({ hour, letters }) => ({ fromMs: hour * HOUR_MS, letters })),
      revisions: of('revision'),
      workers: of('worker'),
      reviews: reviews.map(({ outcome, at_ms: atMs, made_by: by, reason }) => ({ outcome, atMs, by, reason })),
    };
  }

  async letters(patternId: string, page: Page): Promise<PageOf<JobRow>> {
    const number = rowId(patternId);
    if (number === null) return { items: [], next: null };
    const after = placeAfter(page);
    const found = await this.database.query<{ at_ms: number; shard: number; number: number; key: string }>(sql.LETTERS, [number, ...after, onePast(page)]);
    const { items: keys, next } = paged(found, page, (row) => [row.at_ms, row.shard, row.number].join('.'), (row) => row.key);
    const rows = await this.database.query<StoredJob>(`${JOB_ROWS} WHERE j.job_key = ANY ($1::bytea[])`, [hexes(keys)]);
    const jobs = new Map(rows.map((row) => [row.key, jobRow(row)]));
    return { items: keys.flatMap((key) => jobs.get(key) ?? []), next };
  }

  async patternOf(ref: JobRef): Promise<string | null> {
    const [row] = await this.database.query<{ pattern_id: number }>(sql.PATTERN_OF, [jobKey(ref)]);
    return row === undefined ? null : String(row.pattern_id);
  }

  async lastReview({ namespace, queue }: ReviewScope): Promise<ReviewRow | null> {
    const [row] = await this.database.query<StoredReview>(sql.LAST_REVIEW, [namespace, queue ?? null]);
    return row === undefined ? null : reviewRow(row);
  }

  async reviewPattern(id: string, { outcome, by, reason }: { outcome: ReviewOutcome; by: string; reason: string }): Promise<boolean> {
    const number = rowId(id);
    return number !== null && (await this.database.query(sql.REVIEW_PATTERN, [number, outcome, by, reason])).length > 0;
  }

  async review({ namespace, queue }: ReviewScope, { by, reason }: { by: string; reason: string }): Promise<ReviewRow> {
    const [row] = await this.database.query<StoredReview>(sql.REVIEW, [namespace, queue ?? null, by, reason]);
    if (row === undefined) throw new Error('a review that was inserted gave no row');
    return reviewRow(row);
  }
}

/** Counted from the same hour on all pages: else a pattern could stand on two of them, or on none. */
function patternAfter({ after }: Page): { readonly hour?: number; readonly behind: readonly (number | null)[] } {
  if (after === null) return { behind: [null, null, null] };
  const found = /^(\d{1,9})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/u.exec(after);
  if (found === null) throw invalidCursor();
  const [hour = 0, ...behind] = found.slice(1).map(Number);
  return { hour, behind };
}

/** A death's place: when, and where in the log. */
function placeAfter({ after }: Page): readonly (number | null)[] {
  if (after === null) return [null, null, null];
  const found = /^(\d{1,15})\.(\d{1,4})\.(\d{1,15})$/u.exec(after);
  if (found === null) throw invalidCursor();
  return found.slice(1).map(Number);
}

function patternRow(row: StoredPattern): PatternRow {
  const { reason, class: name, message, frames } = row;
  return {
    ...{ id: String(row.pattern_id), namespace: row.namespace, queue: row.queue, kind: row.kind },
    pattern: { reason, class: name, message, frames: JSON.parse(frames) as string[] },
    ...{ firstMs: row.first_ms, lastMs: row.last_ms, letters: row.letters, stillDead: row.still_dead, arrived: row.arrived, trend: JSON.parse(row.trend) as number[] },
    review: patternReview(row),
  };
}

function patternReview({ outcome, outcome_ms: atMs, outcome_by: by, outcome_why: reason }: StoredPattern): PatternReviewRow | null {
  return outcome === null ? null : { outcome, atMs: atMs ?? 0, by: by ?? '', reason: reason ?? '' };
}

function reviewRow({ at_ms: atMs, made_by: by, reason, queue }: StoredReview): ReviewRow {
  return { atMs, by, reason, queue };
}
