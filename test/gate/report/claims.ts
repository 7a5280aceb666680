import type { ScenarioName } from '../fleet/scenarios.js';
import { emptyTally, quantile, type Tally } from './tally.js';

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

export interface Foretold {
  readonly says: string;
  readonly of: number;
  /** Of the ratios of `Tally.foretold`; null: nothing was told. */
  readonly median: number | null;
  readonly least: number;
  readonly most: number;
}

/** What is needed is told for a canary that is as good as stable. */
export function foretoldOf(tallies: readonly Tally[]): Foretold {
  const ratios = tallies.find((t) => t.scenario === 'well')?.foretold ?? [];
  return { says: 'attempts that were said to be needed, over those that were: as good as stable, the median', of: ratios.length, median: quantile(ratios, 0.5), least: 0.5, most: 2 };
}

/** `small`: too few were counted to bound anything by. */
export function failuresOf({ claims, foretold }: { readonly claims: readonly Claim[]; readonly foretold: Foretold }, small = false): readonly string[] {
  const { median, least, most: highest } = foretold;
  const missed = claims.filter(({ wrong, of, bound, most }) => of === 0 || (small ? wrong / of : bound) > most).map(({ says }) => says);
  return median === null || median < least || median > highest ? [...missed, foretold.says] : missed;
}
