import { addCounts, noCounts, OUTCOME_SLOT_MS, type OutcomeCounts } from './outcome-counts.js';
import { markOf, type Mark } from './marks.js';
import type { Share } from './statistics.js';
import { suspectsOf, type Suspect } from './suspects.js';
import type { BadAttempt, CauseWindow, WindowCell } from './window.js';

/** What every cause asks of a window, worked out once. */
export interface WindowFigures {
  readonly window: CauseWindow;
  readonly recent: readonly WindowCell[];
  /** What was counted in the window, and before it. */
  readonly counts: OutcomeCounts;
  readonly before: OutcomeCounts;
  /** Attempts that failed or were lost, of those that ended: in the window, and as it used to be. */
  readonly bad: Share;
  readonly usual: Share;
  /** When it began to go wrong; `fromMs` where that was before the window. */
  readonly onsetMs: number;
  /** Attempts that went wrong since then beyond what is usual. At least 0. */
  readonly excess: number;
  /** All attempts that went wrong since then. */
  readonly wentBad: number;
  /** Bad attempts since then, with what their errors point at. */
  readonly attempts: readonly (BadAttempt & { readonly mark: Mark })[];
  /** The few jobs that stand out by how often they went wrong. */
  readonly suspects: readonly Suspect[];
  /** Arrivals per minute: in the window since it began, and as they used to be (null: unknown). */
  readonly arrivals: number;
  readonly usualArrivals: number | null;
}

/** Less time before the window tells of no usual rate: a queue that is new begins with what its fleet needs to come up. */
const LEAST_BEFORE_MS = 300_000;

export function figuresOf(window: CauseWindow): WindowFigures {
  const recent = window.cells.filter((c) => c.slotMs > window.fromMs - OUTCOME_SLOT_MS);
  const earlier = window.cells.filter((c) => c.slotMs <= window.fromMs - OUTCOME_SLOT_MS);
  const [counts, before] = [sumOf(recent), sumOf(earlier)];
  const usual = badOf(before);
  const usualShare = usual.all === 0 ? 0 : usual.of / usual.all;
  const onsetMs = onsetOf(window, recent, usualShare);
  const since = recent.filter((c) => c.slotMs >= onsetMs);
  const went = badOf(sumOf(since));
  const attempts = window.attempts.filter((a) => a.endedMs >= onsetMs).map((a) => ({ ...a, mark: markOf(a) }));
  const beforeMs = window.fromMs - window.baselineFromMs;
  return {
    ...{ window, recent, counts, before, usual, onsetMs },
    bad: badOf(counts),
    excess: Math.max(0, went.of - usualShare * went.all),
    wentBad: went.of,
    attempts,
    // One job is tried again before so much goes wrong that it shows.
    suspects: suspectsOf(window.attempts),
    arrivals: arrivalsSince(recent, onsetMs, window.toMs),
    usualArrivals: beforeMs < LEAST_BEFORE_MS ? null : perMinute(before.queued, beforeMs),
  };
}

export function sumOf(cells: readonly WindowCell[]): OutcomeCounts {
  const sum = noCounts();
  for (const { counts } of cells) addCounts(sum, counts);
  return sum;
}

export function badOf({ succeeded, failed, lost }: OutcomeCounts): Share {
  return { of: failed + lost, all: succeeded + failed + lost };
}

export function shareOf({ of, all }: Share): number {
  return all === 0 ? 0 : of / all;
}

/** Of the last minutes, or since it went wrong where that is longer ago: what comes in a rush came lately. */
const RUSH_MS = 180_000;

function arrivalsSince(recent: readonly WindowCell[], onsetMs: number, toMs: number): number {
  const rate = (fromMs: number) => perMinute(sumOf(recent.filter((c) => c.slotMs >= fromMs)).queued, toMs - fromMs);
  return rate(Math.min(onsetMs, toMs - RUSH_MS));
}

function perMinute(count: number, ms: number): number {
  return ms <= 0 ? 0 : (count * 60_000) / ms;
}

/** Above this share, at least, something goes wrong. */
const LEAST_SHARE = 0.02;

/**
 * Where the sum of what went wrong beyond half of what goes wrong now, from there to the end, is the greatest: a few
 * failures before are no beginning, and a few successes after are no end.
 */
export function onsetOf({ fromMs, toMs }: Pick<CauseWindow, 'fromMs' | 'toMs'>, recent: readonly WindowCell[], usual: number): number {
  const slots = new Map<number, Share>();
  let [ofAll, all] = [0, 0];
  for (const { slotMs, counts } of recent) {
    const bad = badOf(counts);
    const slot = slots.get(slotMs) ?? { of: 0, all: 0 };
    slots.set(slotMs, { of: slot.of + bad.of, all: slot.all + bad.all });
    ofAll += bad.of;
    all += bad.all;
  }
  const line = Math.max(LEAST_SHARE, 2 * usual, all === 0 ? 0 : (0.5 * ofAll) / all);
  const first = fromMs - (fromMs % OUTCOME_SLOT_MS);
  let [best, onsetMs, sum] = [0, fromMs, 0];
  for (let at = toMs - ((toMs - first) % OUTCOME_SLOT_MS || OUTCOME_SLOT_MS); at >= first; at -= OUTCOME_SLOT_MS) {
    const slot = slots.get(at);
    if (slot === undefined) continue;
    sum += slot.of - line * slot.all;
    if (sum > best) [best, onsetMs] = [sum, at];
  }
  return onsetMs;
}

/** The most frequent of some words, with how many of them it is. */
export function mostOf(words: readonly (string | null)[]): { readonly word: string; readonly times: number } | null {
  const times = new Map<string, number>();
  for (const word of words) if (word !== null && word !== '') times.set(word, (times.get(word) ?? 0) + 1);
  let most: { word: string; times: number } | null = null;
  for (const [word, n] of times) if (most === null || n > most.times) most = { word, times: n };
  return most;
}

export function round(value: number, digits = 2): number {
  const by = 10 ** digits;
  return Math.round(value * by) / by;
}
