import type { Share } from '../cause/statistics.js';

/**
 * How much more probable `canary.of` is where the odds of the canary are e^`logOdds` times those of stable than where they
 * are the same; its logarithm. Given how many there were of each side and how many went wrong in all, so that it does not
 * matter how much goes wrong at that time, nor whether what goes wrong hangs together: only which side it fell on.
 *
 * Fisher's noncentral hypergeometric distribution against the central one. Where jobs are dealt out by chance its mean is
 * exactly 1, with any dependence between the jobs of a block: an e-value, and a product of them a test martingale. Of a
 * positive `logOdds` the mean is below 1 also where the canary is better, as the ratio only rises with `canary.of`; of a
 * negative one the other way round.
 */
export function logRatio(canary: Share, stable: Share, logOdds: readonly number[]): number[] {
  const bad = canary.of + stable.of;
  const low = Math.max(0, bad - stable.all);
  const high = Math.min(bad, canary.all);
  if (low === high) return logOdds.map(() => 0);
  const weights = logWeights(canary.all, stable.all, bad, low, high);
  const all = logSum(weights);
  return logOdds.map((odds) => all - logSum(weights.map((w, i) => w + (low + i - canary.of) * odds)));
}

/** log C(a, u)·C(b, k−u) for u from low to high, up to a constant. */
function logWeights(a: number, b: number, k: number, low: number, high: number): number[] {
  const weights = [0];
  let sum = 0;
  for (let u = low; u < high; u += 1) {
    sum += Math.log(((a - u) * (k - u)) / ((u + 1) * (b - k + u + 1)));
    weights.push(sum);
  }
  return weights;
}

/** log of the sum of e^x; −Infinity of nothing. */
export function logSum(values: readonly number[]): number {
  let most = -Infinity;
  for (const v of values) if (v > most) most = v;
  if (most === -Infinity) return -Infinity;
  let sum = 0;
  for (const v of values) sum += Math.exp(v - most);
  return most + Math.log(sum);
}
