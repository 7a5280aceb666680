import { scenarioOf } from '../fleet/scenarios.js';
import type { Claim, Tally } from './tally.js';

export function say(
  tallies: readonly Tally[],
  claims: readonly Claim[],
  { seeds, seconds, failures }: { readonly seeds: string; readonly seconds: number; readonly failures: readonly string[] },
): string {
  const rollouts = tallies.reduce((sum, t) => sum + t.rollouts, 0);
  return [
    `${String(rollouts)} rollouts of ${seeds} seeds, 20 looks each or more, in ${seconds.toFixed(0)} s.`,
    '',
    ...claims.map(({ says, wrong, of, bound, most }) => `${percent(wrong / of)} (${String(wrong)} of ${String(of)}; at most ${percent(bound)} with 95 %; claim ${percent(most)})  ${says}`),
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
  const sorted = after.toSorted((a, b) => a - b);
  const at = (q: number) => String(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]);
  return [`  ${name}: half by ${at(0.5)}, nine in ten by ${at(0.9)} (${percent(after.length / of)} told)`];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
