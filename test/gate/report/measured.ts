import { scenarioOf, type ScenarioName } from '../fleet/scenarios.js';
import { claimsOf, foretoldOf, type Claim, type Foretold } from './claims.js';
import { quantile, type Tally } from './tally.js';

/** What docs/canary.md tells of a run of the report. */
export interface Measured {
  readonly claims: readonly Claim[];
  readonly foretold: Foretold & { readonly low: number | null; readonly high: number | null };
  /** Of the canaries that are as good as stable, those that a test of two shares at each look calls worse. */
  readonly zWorse: number;
  readonly told: readonly Told[];
}

/** Attempts of the canary until it was told. */
export interface Told {
  readonly are: string;
  readonly scenario: ScenarioName;
  readonly verdict: 'unhealthy' | 'healthy';
  readonly half: number | null;
  readonly nine: number | null;
}

const TOLD = [
  ['bad', 'unhealthy'], ['slow', 'unhealthy'], ['loses', 'unhealthy'], ['gives-up', 'unhealthy'], ['margin', 'unhealthy'], ['well', 'healthy'],
] as const satisfies readonly (readonly [ScenarioName, Told['verdict']])[];

export function measuredOf(tallies: readonly Tally[]): Measured {
  const of = (scenario: ScenarioName): Tally => {
    const tally = tallies.find((t) => t.scenario === scenario);
    if (tally === undefined) throw new Error(`no rollout of ${scenario}`);
    return tally;
  };
  const [good, { foretold }] = [of('good'), of('well')];
  return {
    claims: claimsOf(tallies).map((claim) => ({ ...claim, bound: rounded(claim.bound) })),
    foretold: { ...foretoldOf(tallies), median: rounded(quantile(foretold, 0.5)), low: rounded(quantile(foretold, 0.1)), high: rounded(quantile(foretold, 0.9)) },
    zWorse: rounded(good.zWorse / good.rollouts),
    told: TOLD.map(([scenario, verdict]) => {
      const after = verdict === 'healthy' ? of(scenario).healthyAfter : of(scenario).unhealthyAfter;
      return { are: scenarioOf(scenario).are, scenario, verdict, half: quantile(after, 0.5), nine: quantile(after, 0.9) };
    }),
  };
}

function rounded<T extends number | null>(value: T): T {
  return (value === null ? null : Number(value.toFixed(5))) as T;
}
