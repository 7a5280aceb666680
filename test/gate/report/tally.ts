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
}

export function emptyTally(scenario: ScenarioName): Tally {
  return { scenario, rollouts: 0, unhealthy: 0, healthy: 0, zWorse: 0, unhealthyAfter: [], healthyAfter: [] };
}

export function count(tally: Tally, looks: Iterable<Look>): void {
  const seen = { unhealthy: false, healthy: false, zWorse: false };
  for (const { verdict, zTest } of looks) {
    if (zTest === 'worse') seen.zWorse = true;
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
}

/** Upper bound of a share, 95 % one-sided, by Wilson. */
export function upperBound(of: number, all: number): number {
  if (all === 0) return 1;
  const z = 1.645;
  const p = of / all;
  return (p + (z * z) / (2 * all) + z * Math.sqrt((p * (1 - p)) / all + (z * z) / (4 * all * all))) / (1 + (z * z) / all);
}

/** Of the rollouts of a sort, the number of times that the gate was wrong. */
export interface Claim {
  readonly says: string;
  readonly wrong: number;
  readonly of: number;
  readonly most: number;
  readonly bound: number;
}

export function claimsOf(tallies: readonly Tally[]): readonly Claim[] {
  const of = (scenario: ScenarioName, says: string, most: number, wrong: (tally: Tally) => number): Claim => {
    const tally = tallies.find((t) => t.scenario === scenario) ?? emptyTally(scenario);
    const number = wrong(tally);
    return { says, wrong: number, of: tally.rollouts, most, bound: upperBound(number, tally.rollouts) };
  };
  const unhealthy = (t: Tally) => t.unhealthy;
  const missed = (t: Tally) => t.rollouts - t.unhealthy;
  return [
    of('good', 'false alarms: as good as stable, called unhealthy at one of 20 looks', 0.05, unhealthy),
    of('long', 'false alarms: as good as stable for 3 to 12 hours, called unhealthy at one of 48 looks', 0.05, unhealthy),
    of('wide', 'false alarms: as good as stable for 7 to 12 hours, window 6h, called unhealthy at one of 48 looks', 0.05, unhealthy),
    of('margin', 'false all-clears: worse by just the margin, called healthy at one of 20 looks', 0.05, (t) => t.healthy),
    of('drags', 'false all-clears: worse by just the margin for 3 to 12 hours, called healthy at one of 48 looks', 0.05, (t) => t.healthy),
    of('bad', 'misses: 10 % fail where 2 % do, 500 attempts of the canary, never called unhealthy', 0.1, missed),
    of('slow', 'misses: takes twice as long, 500 attempts of the canary, never called unhealthy', 0.1, missed),
    of('loses', 'misses: 8 % of the leases are lost where none is, 500 attempts of the canary, never called unhealthy', 0.1, missed),
    of('gives-up', 'misses: 9 % are dead letters where 1 % is, 500 attempts of the canary, never called unhealthy', 0.1, missed),
    of('turns', 'misses: good for hours, then 10 % fail where 2 % do, 500 attempts of the canary, never called unhealthy', 0.1, missed),
  ];
}

/** `small`: too few were counted to bound anything by. */
export function failuresOf(claims: readonly Claim[], small = false): readonly string[] {
  return claims.filter(({ wrong, of, bound, most }) => of === 0 || (small ? wrong / of : bound) > most).map(({ says }) => says);
}
