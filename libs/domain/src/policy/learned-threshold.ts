import { bucketUpperMs, type RunTimeHistogram } from '../job/view/contribution.js';
import { STUCK_AFTER_DEFAULT_MS } from './queue-policy.js';

export interface LearningRules {
  readonly quantile: number;
  readonly factor: number;
  readonly floorMs: number;
  readonly ceilingMs: number;
  /** With fewer runs than this, what they say can only make a threshold longer. */
  readonly minSamples: number;
}

/** Chosen from the real runs of `npm run report:trust`, figure `thresholds`: docs/trust.md says what each costs. */
export const LEARNING: LearningRules = {
  quantile: 0.99,
  factor: 2,
  floorMs: 60_000,
  ceilingMs: 30 * 86_400_000,
  minSamples: 50,
};

export interface LearnedThreshold {
  readonly ms: number;
  /** Whose runs it was learned from. */
  readonly from: 'kind' | 'queue';
  /** Runs that ended behind it. */
  readonly samples: number;
  /** Runs behind it that were given up. */
  readonly longer: number;
  readonly quantile: number;
  /** Upper edge of the quantile's bucket, ms. */
  readonly quantileMs: number;
  readonly factor: number;
}

/**
 * How long a run may take, learned from those before it: the p99 of a queue's run times times a factor.
 *
 * Buckets are the counters' own: fixed, on a log scale, so that histograms of shards, kinds and replicas merge by
 * addition. A quantile is its bucket's upper edge, so it is never too short and at most 19 % too long.
 *
 * A run that was given up at a threshold counts as one that would have been longer (see `givenUpRuns`). It takes part in
 * the quantile as long as it was watched, and says nothing of what came after: the estimate of Kaplan and Meier. Were
 * such runs left out, each threshold would teach a shorter one.
 *
 * The kind's own runs where there are enough, else the queue's. Of those that are too few only a longer threshold than
 * would apply without them is believed. null: the default applies.
 */
export function learnedThreshold(
  kind: RunTimeHistogram | null,
  queue: RunTimeHistogram,
  rules: LearningRules = LEARNING,
): LearnedThreshold | null {
  const ofKind = kind === null ? null : estimate(kind, 'kind', rules);
  if (ofKind !== null && ofKind.samples >= rules.minSamples) return ofKind;
  const ofQueue = estimate(queue, 'queue', rules);
  const enough = ofQueue !== null && ofQueue.samples >= rules.minSamples;
  const leastMs = enough ? ofQueue.ms : STUCK_AFTER_DEFAULT_MS;
  const longest = [ofKind, enough ? null : ofQueue].reduce((a, b) => ((b?.ms ?? 0) > (a?.ms ?? leastMs) ? b : a), null);
  return longest ?? (enough ? ofQueue : null);
}

function estimate(histogram: RunTimeHistogram, from: 'kind' | 'queue', rules: LearningRules): LearnedThreshold | null {
  const { quantile, factor, floorMs, ceilingMs } = rules;
  const samples = sum(histogram.ended);
  const quantileMs = quantileOfRuns(histogram, quantile);
  if (quantileMs === null || samples === 0) return null;
  const ms = Math.round(Math.min(ceilingMs, Math.max(floorMs, quantileMs * factor)));
  return { ms, from, samples, longer: sum(histogram.longer), quantile, quantileMs: Math.round(quantileMs), factor };
}

/**
 * The q-quantile where some runs are only known to have been longer than they were watched; null without any run. Where
 * too many were given up for it to be reached, it is the longest time that any run was watched: with the factor, that
 * is longer than the threshold at which they were given up.
 */
export function quantileOfRuns({ ended, longer }: RunTimeHistogram, q: number): number | null {
  const buckets = [...new Set([...ended.keys(), ...longer.keys()])]
    .filter((b) => (ended.get(b) ?? 0) + (longer.get(b) ?? 0) > 0)
    .sort((a, b) => a - b);
  let left = sum(ended) + sum(longer);
  let surviving = 1;
  let last: number | null = null;
  for (const bucket of buckets) {
    const ends = Math.max(0, ended.get(bucket) ?? 0);
    surviving *= 1 - ends / left;
    left -= ends + Math.max(0, longer.get(bucket) ?? 0);
    last = bucketUpperMs(bucket);
    // Rounding must not carry the rank of the quantile into the next bucket.
    if (surviving <= 1 - q + 1e-9) return last;
  }
  return last;
}

function sum(counts: ReadonlyMap<number, number>): number {
  let total = 0;
  for (const count of counts.values()) total += Math.max(0, count);
  return total;
}
