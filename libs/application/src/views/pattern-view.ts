import type { PatternDetail, PatternView, ReviewView } from '#libs/contracts';
import { markOf } from '#libs/domain';
import type { PatternDetailRow, PatternReviewRow, PatternRow, ReviewRow } from '../ports/dead-letter-reads.port.js';
import { iso } from './time.js';

/** `reviewedMs`: when all of it was last looked through, lane time ms; null: never. */
export function patternView(row: PatternRow, reviewedMs: number | null): PatternView {
  const { id, namespace, queue, kind, pattern, firstMs, lastMs, letters, stillDead, arrived, trend, review } = row;
  return {
    ...{ id, namespace, queue, kind },
    ...{ reason: pattern.reason, class: pattern.class, message: pattern.message, frames: [...pattern.frames] },
    ...{ firstSeen: iso(firstMs), lastSeen: iso(lastMs), letters, stillDead, arrived, trend: [...trend], mark: markOf(row, reviewedMs) },
    ...(review !== null && { review: saidView(review) }),
  };
}

export function patternDetail(row: PatternDetailRow, reviewedMs: number | null): PatternDetail {
  return {
    ...patternView(row, reviewedMs),
    hours: row.hours.map(({ fromMs, letters }) => ({ from: iso(fromMs), letters })),
    revisions: row.revisions.map((named) => ({ ...named })),
    workers: row.workers.map((named) => ({ ...named })),
    reviews: row.reviews.map(saidView),
  };
}

const saidView = ({ outcome, atMs, by, reason }: PatternReviewRow): PatternDetail['reviews'][number] => ({ outcome, at: iso(atMs), by, reason });

export function reviewView({ atMs, by, reason, queue }: ReviewRow): ReviewView {
  return { at: iso(atMs), by, reason, queue };
}
