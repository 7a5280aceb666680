import type { Run } from './runs.js';
import type { Way } from './ways.js';

export interface Outcome {
  readonly judged: number;
  /** Healthy runs that were called stuck. */
  readonly wrong: number;
  /** Of those after the first fifth, from which fixed figures were fitted and before which nothing was learned. */
  readonly wrongLater: number;
  readonly later: number;
  /** From the stop to the moment at which it is noticed, ms. */
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly neverNoticed: number;
}

export function fifthOf(runs: readonly Run[]): number {
  return Math.floor(runs.length / 5);
}

/** One moment within each run, the same for all ways: drawn evenly by a generator with a seed (mulberry32). */
export function stopsOf(runs: readonly Run[], seed: number): readonly number[] {
  let state = seed;
  return runs.map(({ startMs, endMs }) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return startMs + (((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * (endMs - startMs);
  });
}

/** A run is judged twice: as it was, and as if it had stopped in the middle of it and said nothing. */
export function outcomeOf(runs: readonly Run[], stops: readonly number[], way: Way): Outcome {
  const first = fifthOf(runs);
  const stuck = runs.map(way);
  const isWrong = (run: Run, i: number): boolean => (stuck[i] ?? Infinity) < run.endMs;
  const delays = stuck.map((ms, i) => Math.max(0, ms - (stops[i] ?? 0))).sort((a, b) => a - b);
  return {
    judged: stuck.filter((ms) => !Number.isNaN(ms)).length,
    wrong: runs.filter(isWrong).length,
    wrongLater: runs.filter((run, i) => i >= first && isWrong(run, i)).length,
    later: runs.length - first,
    medianMs: delays[Math.ceil(0.5 * delays.length) - 1] ?? NaN,
    p95Ms: delays[Math.ceil(0.95 * delays.length) - 1] ?? NaN,
    neverNoticed: delays.filter((ms) => ms === Infinity).length,
  };
}
