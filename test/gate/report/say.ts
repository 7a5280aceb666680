import type { Claim, Tally } from './tally.js';

export function say(
  tallies: readonly Tally[],
  claims: readonly Claim[],
  { seeds, seconds, failures }: { readonly seeds: string; readonly seconds: number; readonly failures: readonly string[] },
): string {
  const rollouts = tallies.reduce((sum, t) => sum + t.rollouts, 0);
  return [
    `${String(rollouts)} rollouts of ${seeds} seeds, 20 looks each, in ${seconds.toFixed(0)} s.`,
    '',
    ...claims.map(({ says, wrong, of, bound, most }) => `${percent(wrong / of)} (${String(wrong)} of ${String(of)}; at most ${percent(bound)} with 95 %; claim ${percent(most)})  ${says}`),
    '',
    'A test of two shares at each look, as if it were the only one, calls worse:',
    ...tallies.filter((t) => ['good', 'well', 'bad'].includes(t.scenario)).map((t) => `  ${percent(t.zWorse / t.rollouts)} of the canaries that are ${WHAT[t.scenario]}`),
    '',
    'Attempts of the canary until it is told:',
    ...tallies.flatMap((t) => [
      ...quantiles(`unhealthy, of canaries that are ${WHAT[t.scenario]}`, t.unhealthyAfter, t.rollouts),
      ...quantiles(`healthy, of canaries that are ${WHAT[t.scenario]}`, t.healthyAfter, t.rollouts),
    ]),
    '',
    failures.length === 0 ? 'Every claim holds.' : `Missed: ${failures.join('; ')}.`,
  ].join('\n');
}

const WHAT: Readonly<Record<Tally['scenario'], string>> = {
  good: 'as good as stable, in any fleet',
  well: 'as good as stable, at 2 %, up to 2,000 attempts',
  margin: 'worse by just the margin, up to 2,000 attempts',
  bad: 'failing in 10 % where stable does in 2 %, up to 500 attempts',
  slow: 'taking twice as long, up to 500 attempts',
};

function quantiles(name: string, after: readonly number[], of: number): readonly string[] {
  if (after.length < of / 20) return [];
  const sorted = after.toSorted((a, b) => a - b);
  const at = (q: number) => String(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]);
  return [`  ${name}: half by ${at(0.5)}, nine in ten by ${at(0.9)} (${percent(after.length / of)} told)`];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
