import type { Share } from '../cause/statistics.js';
import type { Block } from './blocks.js';
import { logSum } from './conditional.js';

/**
 * A bet against "the canary fails by `margin` more than stable, or worse still": the logarithm of what it is worth after
 * all blocks. Where that claim is true, the chance that the bet is ever worth 1/α is at most α.
 *
 * Each block pays p*(y)/p°(y): p* says that the canary fails like stable did so far (or by half the margin more; the bet is
 * on both), p° is the point of "worse by the margin" nearest to p* (Turner & Grünwald, "Exact anytime-valid confidence
 * intervals for contingency tables and beyond", Statistics & Probability Letters, 2023). The logarithm of the mean of such
 * a factor is concave in the shares of the block and 0 at p° with a slope that falls into the claim, so it is at most
 * −λ·(difference − margin): over several blocks the claim that is refuted is that of their average difference, weighed by
 * λ, whatever each block's own is, and however much goes wrong with both at the time.
 *
 * What stable did so far, and not what the canary did, says what is expected: another failure of the canary can only make
 * the bet worth less.
 */
export function logNotWorse(blocks: readonly Block[], margin: number): number {
  const bets = BETTER_BY.map((part) => ({ part, log: 0 }));
  const kinds = new Map<string, Seen>();
  const all: Seen = { of: 0, all: 0 };
  for (const { kind, canary, stable } of blocks) {
    let seen = kinds.get(kind);
    if (seen === undefined) kinds.set(kind, (seen = { of: 0, all: 0 }));
    const usual = expected(seen, expected(all, PRIOR));
    for (const bet of bets) bet.log += logFactor({ canary, stable, margin, here: usual + bet.part * margin, there: usual });
    for (const sum of [seen, all]) {
      sum.of += stable.of;
      sum.all += stable.all;
    }
  }
  return logSum(bets.map(({ log }) => log)) - Math.log(bets.length);
}

/** By how much of the margin the canary may be worse and the bet pay best. */
const BETTER_BY = [0, 0.5] as const;

interface Seen {
  of: number;
  all: number;
}

/** As long as nothing is known: one in fifty. Counts as much as so many attempts. */
const PRIOR = 0.02;
const PRIOR_WEIGHT = 20;
/** No share is certain. */
const LEAST = 1e-4;

function expected({ of, all }: Share, before: number): number {
  return clamp((of + PRIOR_WEIGHT * before) / (all + PRIOR_WEIGHT), LEAST, 1 - LEAST);
}

interface Factor {
  readonly canary: Share;
  readonly stable: Share;
  readonly margin: number;
  /** What is bet on: the shares of the canary and of stable. */
  readonly here: number;
  readonly there: number;
}

function logFactor({ canary, stable, margin, here, there }: Factor): number {
  const a = clamp(here, LEAST, 1 - LEAST);
  if (a - there >= margin) return 0;
  const nearest = nearestStable(canary.all, stable.all, a, there, margin);
  return logLikelihood(canary, a) - logLikelihood(canary, nearest + margin) + logLikelihood(stable, there) - logLikelihood(stable, nearest);
}

/** The share of stable at the point of "worse by just the margin" that is nearest to the bet: its slope rises, so it is halved. */
function nearestStable(canaries: number, stables: number, here: number, there: number, margin: number): number {
  let [low, high] = [0, 1 - margin];
  for (let i = 0; i < 50; i += 1) {
    const s = (low + high) / 2;
    const slope = canaries * slopeOf(here, s + margin) + stables * slopeOf(there, s);
    if (slope > 0) high = s;
    else low = s;
  }
  return clamp((low + high) / 2, Number.EPSILON, 1 - margin - Number.EPSILON);
}

/** Of the divergence of `at` from `p`. */
function slopeOf(p: number, at: number): number {
  return (1 - p) / (1 - at) - p / at;
}

function logLikelihood({ of, all }: Share, p: number): number {
  return of * Math.log(p) + (all - of) * Math.log1p(-p);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** What one more attempt of the canary adds to the bet where it fails just like stable: how far the end is away. */
export function growthPerCanary(share: number, margin: number, stablePerCanary: number): number {
  const p = clamp(share, LEAST, 1 - LEAST - margin);
  const s = nearestStable(1, stablePerCanary, p, p, margin);
  return divergence(p, s + margin) + stablePerCanary * divergence(p, s);
}

/** Of a coin that shows heads with q from one that does with p. At least 0. */
export function divergence(p: number, q: number): number {
  const part = (x: number, y: number) => (x <= 0 ? 0 : x * Math.log(x / Math.max(y, 1e-300)));
  return Math.max(0, part(p, q) + part(1 - p, 1 - q));
}
