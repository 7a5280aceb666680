import { normalisedMessage } from './normalised-message.js';
import { topFrames } from './top-frames.js';

/** What a job died of, as its dead letter says it. */
export interface CauseOfDeath {
  /** Of the decision: `failed`, `lost`, `poison_pill` … */
  readonly reason: string;
  /** null: nobody said why. */
  readonly error: { readonly class: string; readonly message: string; readonly stack: string | null } | null;
}

/** What dead letters of one pattern have in common. */
export interface Pattern {
  readonly reason: string;
  readonly class: string | null;
  /** Normalised; empty where nobody said why. */
  readonly message: string;
  readonly frames: readonly string[];
}

export function patternOf({ reason, error }: CauseOfDeath): Pattern {
  return {
    reason,
    class: error?.class ?? null,
    message: error === null ? '' : normalisedMessage(error.message),
    frames: error?.stack == null ? [] : topFrames(error.stack),
  };
}

/** Two dead letters are of one pattern where this is the same: to be hashed. */
export function fingerprintText(of: { readonly namespace: string; readonly queue: string; readonly kind: string | null }, pattern: Pattern): string {
  const { reason, class: name, message, frames } = pattern;
  return JSON.stringify([of.namespace, of.queue, of.kind, reason, name, message, frames]);
}

/** What people have said of a pattern. */
export const REVIEW_OUTCOMES = ['seen', 'fixed', 'ignored'] as const;
export type ReviewOutcome = (typeof REVIEW_OUTCOMES)[number];

/**
 * new: first seen since the last review. regressed: said to be fixed, and here again. null: neither, or people have said
 * that they do not want to hear of it.
 */
export type PatternMark = 'new' | 'regressed' | null;

export interface PatternStanding {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly review: { readonly outcome: ReviewOutcome; readonly atMs: number } | null;
}

/** `sinceMs`: the last review of the whole, lane time ms; null where there was none. */
export function markOf({ firstMs, lastMs, review }: PatternStanding, sinceMs: number | null): PatternMark {
  if (review?.outcome === 'fixed' && lastMs > review.atMs) return 'regressed';
  if (review !== null) return null;
  return sinceMs === null || firstMs > sinceMs ? 'new' : null;
}
