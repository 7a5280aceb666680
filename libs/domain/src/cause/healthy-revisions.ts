import { assess } from './assess.js';
import { wilson } from './statistics.js';
import type { CauseWindow } from './window.js';

/** A release that the log itself proves: enough was done by it, and little of that went wrong. */
export interface HealthyRevision {
  readonly revision: string;
  readonly succeeded: number;
  readonly failed: number;
  /** The window's beginning (with what lies before it) where it is older than what is known. */
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
}

const FEWEST_SUCCEEDED = 20;
/** Upper bound of the share that failed. */
const MOST_BAD = 0.1;

/**
 * Releases to go back to, the best first: the one that ran last, of several the one that did most. Those that are accused,
 * or fail now, are none; nor is one of which too little is known.
 */
export function healthyRevisions(window: CauseWindow): readonly HealthyRevision[] {
  const accused = assess(window);
  const found = new Map<string, { succeeded: number; failed: number; recentBad: number; recentAll: number; firstSeenMs: number; lastSeenMs: number }>();
  for (const { revision, slotMs, counts } of window.cells) {
    if (revision === '' || revision === 'other' || (accused.cause === 'bad_revision' && revision === accused.subject)) continue;
    const one = found.get(revision) ?? { succeeded: 0, failed: 0, recentBad: 0, recentAll: 0, firstSeenMs: slotMs, lastSeenMs: slotMs };
    const bad = counts.failed + counts.lost;
    one.succeeded += counts.succeeded;
    one.failed += bad;
    if (slotMs >= window.fromMs) {
      one.recentBad += bad;
      one.recentAll += bad + counts.succeeded;
    }
    one.firstSeenMs = Math.min(one.firstSeenMs, slotMs);
    one.lastSeenMs = Math.max(one.lastSeenMs, slotMs);
    found.set(revision, one);
  }
  return [...found]
    .filter(([, r]) => r.succeeded >= FEWEST_SUCCEEDED && wilson({ of: r.failed, all: r.failed + r.succeeded }).high <= MOST_BAD)
    .filter(([, r]) => wilson({ of: r.recentBad, all: r.recentAll }).low <= MOST_BAD)
    .map(([revision, { succeeded, failed, firstSeenMs, lastSeenMs }]) => ({ revision, succeeded, failed, firstSeenMs, lastSeenMs }))
    .sort((a, b) => Math.floor(b.lastSeenMs / LATELY_MS) - Math.floor(a.lastSeenMs / LATELY_MS) || b.succeeded - a.succeeded);
}

/** Last heard of within the same stretch: none of them is the later one. */
const LATELY_MS = 60_000;
