import { OUTCOME_SLOT_MS } from '../cause/outcome-counts.js';

/** What is old is kept in stretches of so long only, ms; what is newer than an hour in short ones. */
const COARSE_MS = 300_000;
const FINE_FOR_MS = 3_600_000;

/** How long a stretch is in which such a window is looked at, ms: always the same, so that a later look sees what an earlier one saw. */
export function slotOf(windowMs: number): number {
  return windowMs <= FINE_FOR_MS ? OUTCOME_SLOT_MS : COARSE_MS;
}

/** Of its window it slides by so much at once. */
const PART = 4;

/**
 * How far a window slides at once, ms, when it no longer reaches back to the beginning. Where it begins decides where its blocks
 * end, so a window that slid with the clock would be another bet at nearly each look, and each of them might go off by chance.
 * This way it is one bet as long as it lies still, and what each costs is known beforehand ({@link logPriceOf}).
 */
export function slideMs(windowMs: number): number {
  const slotMs = slotOf(windowMs);
  return Math.max(slotMs, Math.floor(windowMs / PART / slotMs) * slotMs);
}

/** How often a window has slid; 0 where it reaches back to the beginning. Where it begins tells, and no two beginnings are the same. */
export function slidesOf({ sinceMs, fromMs }: { readonly sinceMs: number; readonly fromMs: number }, windowMs: number): number {
  return Math.max(0, Math.ceil((fromMs - sinceMs) / slideMs(windowMs)));
}

/** Of a rollout that is over before its window slides, which most are. */
const FOR_THE_FIRST = 0.8;

/** Logarithm of the share of the chance of a false alarm that a window may spend which has slid so often; all of them sum up to 1. */
export function logPriceOf(slides: number): number {
  return Math.log(slides === 0 ? FOR_THE_FIRST : (1 - FOR_THE_FIRST) / (slides * (slides + 1)));
}
