import { scenarioOf } from '../fleet/scenarios.js';
import type { Claim, Foretold } from './claims.js';
import { quantile, type Tally } from './tally.js';

export function say(
  tallies: readonly Tally[],
  { claims, foretold }: { readonly claims: readonly Claim[]; readonly foretold: Foretold },
  { seeds, seconds, failures }: { readonly seeds: string; readonly seconds: number; readonly failures: readonly string[] },
): string {
  const rollouts = tallies.reduce((sum, t) => sum + t.rollouts, 0);
  return [
    `${String(rollouts)} rollouts of ${seeds} seeds, 20 looks each or more, in ${seconds.toFixed(0)} s.`,
    '',
    ...claims.map(({ says, wrong, of, bound, most }) => `${percent(wrong / of)} (${String(wrong)} of ${String(of)}; at most ${percent(bound)} with 95 %; claim ${percent(most)})  ${says}`),
    `${ratio(foretold.median)} (of ${String(foretold.of)}; claim ${String(foretold.least)} to ${String(foretold.most)})  ${foretold.says}`,
    ...tallies.filter((t) => t.foretold.length > 0).map((t) => `  ${ratio(quantile(t.foretold, 0.5))}, from ${ratio(quantile(t.foretold, 0.1))} to ${ratio(quantile(t.foretold, 0.9))} in eight of ten, of canaries that are ${scenarioOf(t.scenario).are}`),
    '',
    'A test of two shares at each look, as if it were the only one, calls worse:',
    ...tallies.filter((t) => ['good', 'well', 'bad'].includes(t.scenario)).map((t) => `  ${percent(t.zWorse / t.rollouts)} of the canaries that are ${scenarioOf(t.scenario).are}`),
    '',
    'Attempts of the canary until it is told:',
    ...tallies.flatMap((t) => [
      ...quantiles(`unhealthy, of canaries that are ${scenarioOf(t.scenario).are}`, t.unhealthyAfter, t.rollouts),
      ...quantiles(`healthy, of canaries that are ${scenarioOf(t.scenario).are}`, t.healthyAfter, t.rollouts),
    ]),
    '',
    failures.length === 0 ? 'Every claim holds.' : `Missed: ${failures.join('; ')}.`,
  ].join('\n');
}

function quantiles(name: string, after: readonly number[], of: number): readonly string[] {
  if (after.length < of / 20) return [];
  const at = (q: number) => String(quantile(after, q));
  return [`  ${name}: half by ${at(0.5)}, nine in ten by ${at(0.9)} (${percent(after.length / of)} told)`];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function ratio(value: number | null): string {
  return value === null ? 'nothing' : value.toFixed(2);
}
