import type { ScenarioName } from '../fleet/scenarios.js';
import type { Look } from '../fleet/looks.js';

/** What became of rollouts of one sort. */
export interface Tally {
  readonly scenario: ScenarioName;
  rollouts: number;
  /** Those that were called so at any look. */
  unhealthy: number;
  healthy: number;
  /** What the rule of thumb called worse at any look. */
  zWorse: number;
  /** Attempts of the canary at the first look at which it was told. */
  readonly unhealthyAfter: number[];
  readonly healthyAfter: number[];
  /** What the first look above the minimum said would be needed in all, over what it was: 1 is just right, 2 twice as many. */
  readonly foretold: number[];
}

export function emptyTally(scenario: ScenarioName): Tally {
  return { scenario, rollouts: 0, unhealthy: 0, healthy: 0, zWorse: 0, unhealthyAfter: [], healthyAfter: [], foretold: [] };
}

export function count(tally: Tally, looks: Iterable<Look>): void {
  const seen = { unhealthy: false, healthy: false, zWorse: false };
  let expected: number | null = null;
  for (const { verdict, zTest } of looks) {
    if (zTest === 'worse') seen.zWorse = true;
    if (verdict?.reasons[0] === 'more_samples_needed') expected ??= verdict.samples.canary + verdict.needed.canary;
    const told = verdict?.verdict === 'healthy' || verdict?.verdict === 'unhealthy';
    if (told && expected !== null && !seen.healthy && !seen.unhealthy) tally.foretold.push(expected / verdict.samples.canary);
    if (verdict?.verdict === 'unhealthy' && !seen.unhealthy) {
      seen.unhealthy = true;
      tally.unhealthyAfter.push(verdict.samples.canary);
    }
    if (verdict?.verdict === 'healthy' && !seen.healthy) {
      seen.healthy = true;
      tally.healthyAfter.push(verdict.samples.canary);
    }
  }
  tally.rollouts += 1;
  if (seen.unhealthy) tally.unhealthy += 1;
  if (seen.healthy) tally.healthy += 1;
  if (seen.zWorse) tally.zWorse += 1;
}

export function add(to: Tally, more: Tally): void {
  to.rollouts += more.rollouts;
  to.unhealthy += more.unhealthy;
  to.healthy += more.healthy;
  to.zWorse += more.zWorse;
  to.unhealthyAfter.push(...more.unhealthyAfter);
  to.healthyAfter.push(...more.healthyAfter);
  to.foretold.push(...more.foretold);
}

export function quantile(values: readonly number[], q: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? null;
}
