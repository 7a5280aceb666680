/** Two-sided 95 %. */
export const Z_95 = 1.96;

export interface Share {
  readonly of: number;
  readonly all: number;
}

/** Wilson's interval of a share: holds for few samples and near 0 and 1. [0, 1] without samples. */
export function wilson({ of, all }: Share, z = Z_95): { readonly low: number; readonly high: number } {
  if (all === 0) return { low: 0, high: 1 };
  const p = of / all;
  const z2 = z * z;
  const middle = (p + z2 / (2 * all)) / (1 + z2 / all);
  const half = (z / (1 + z2 / all)) * Math.sqrt((p * (1 - p)) / all + z2 / (4 * all * all));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Two groups side by side in one stratum: the same queue and kind at the same time. */
export interface Stratum {
  readonly here: Share;
  readonly there: Share;
}

export interface Contrast {
  /** Mantel-Haenszel's difference of shares, here minus there. */
  readonly difference: number;
  /** Its bounds, 95 %. */
  readonly low: number;
  readonly high: number;
  /** Cochran's test: how many standard deviations `here` is above what chance would give it. */
  readonly z: number;
  readonly here: Share;
  readonly there: Share;
}

/**
 * What differs between two groups once each stratum is compared with itself: what came over both at the same time, or lies
 * in the kind of the work, differs in none. Strata that hold one of the groups only say nothing. null: there are no others.
 */
export function contrast(strata: readonly Stratum[]): Contrast | null {
  let [weights, difference, variance, above, chance] = [0, 0, 0, 0, 0];
  const sums = { here: { of: 0, all: 0 }, there: { of: 0, all: 0 } };
  for (const { here, there } of strata) {
    const all = here.all + there.all;
    if (here.all === 0 || there.all === 0) continue;
    const weight = (here.all * there.all) / all;
    weights += weight;
    difference += weight * (here.of / here.all - there.of / there.all);
    variance += weight * weight * (spread(here) + spread(there));
    const bad = here.of + there.of;
    above += here.of - (here.all * bad) / all;
    if (all > 1) chance += (here.all * there.all * bad * (all - bad)) / (all * all * (all - 1));
    add(sums.here, here);
    add(sums.there, there);
  }
  if (weights === 0) return null;
  const mean = difference / weights;
  return {
    difference: mean,
    low: mean - (Z_95 * Math.sqrt(variance)) / weights,
    high: mean + (Z_95 * Math.sqrt(variance)) / weights,
    z: chance === 0 ? 0 : above / Math.sqrt(chance),
    here: sums.here,
    there: sums.there,
  };
}

/** Fisher's exact test, one-sided: how probable it is that chance alone had put as many of them `here`, or more. */
export function chanceOf({ here, there }: Stratum): number {
  const [bad, all] = [here.of + there.of, here.all + there.all];
  let sum = 0;
  for (let k = here.of; k <= Math.min(bad, here.all); k += 1) {
    if (bad - k > there.all) continue;
    sum += Math.exp(logChoose(here.all, k) + logChoose(there.all, bad - k) - logChoose(all, bad));
  }
  return Math.min(1, sum);
}

function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; i += 1) sum += Math.log((n - k + i) / i);
  return sum;
}

/** Variance of a share, never nothing: 0 of 3 is no certainty. */
function spread({ of, all }: Share): number {
  const p = (of + 0.5) / (all + 1);
  return (p * (1 - p)) / all;
}

function add(to: { of: number; all: number }, { of, all }: Share): void {
  to.of += of;
  to.all += all;
}

/** Slope of y over x by least squares; 0 with fewer than two different x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const n = points.length;
  if (n < 2) return 0;
  const mx = points.reduce((s, [x]) => s + x, 0) / n;
  const my = points.reduce((s, [, y]) => s + y, 0) / n;
  const sxx = points.reduce((s, [x]) => s + (x - mx) ** 2, 0);
  return sxx === 0 ? 0 : points.reduce((s, [x, y]) => s + (x - mx) * (y - my), 0) / sxx;
}
