import { TRUTHS } from '../truths/truth.js';
import type { Tally, Wrong } from './tally.js';

const SHORT: Readonly<Record<string, string>> = {
  poison_job: 'poison', bad_revision: 'bad-rev', lock_contention: 'lock', connection_exhaustion: 'conn',
  downstream_outage: 'downstr', memory: 'memory', overload: 'overld', race: 'race', unknown: 'unknown',
};
const NAME = 22;
const CELL = 8;

export function share(part: number, of: number): string {
  return of === 0 ? 'none' : `${((100 * part) / of).toFixed(1)} %`;
}

/** Rows are what was wrong, columns what the rule said. */
export function sayTable(tally: Tally): string {
  const { rule, said, scenarios, right, falseRollbacks, missedBad } = tally;
  const head = `${'truth \\ said'.padEnd(NAME)}${TRUTHS.map((cause) => (SHORT[cause] ?? cause).padStart(CELL)).join('')}${'right'.padStart(CELL + 2)}`;
  const rows = TRUTHS.filter((truth) => said[truth] !== undefined).map((truth) => {
    const row = said[truth] ?? {};
    const all = Object.values(row).reduce((a, b) => a + b, 0);
    const cells = TRUTHS.map((cause) => String(row[cause] ?? '.').padStart(CELL)).join('');
    return `${truth.padEnd(NAME)}${cells}${share(row[truth] ?? 0, all).padStart(CELL + 2)}`;
  });
  const bad = Object.values(said['bad_revision'] ?? {}).reduce((a, b) => a + b, 0);
  return [
    `${rule}: ${String(right)} of ${String(scenarios)} right, ${share(right, scenarios)}`,
    head,
    ...rows,
    `rollbacks without a bad revision, or of another one: ${String(falseRollbacks.length)} in ${String(scenarios - bad)} scenarios without one`,
    `bad revisions missed: ${String(missedBad.length)} of ${String(bad)}`,
    ...sayMore(tally),
  ].join('\n');
}

function sayMore({ selfSustained, poisonAfterDeploy, two }: Tally): readonly string[] {
  const { are, saidAre, areNot, saidAreNot } = selfSustained;
  return [
    `poison jobs within a minute of a deploy: ${String(poisonAfterDeploy.right)} of ${String(poisonAfterDeploy.all)} right, ${String(poisonAfterDeploy.rollbacks)} rolled back`,
    `two causes at once: the greater named in ${String(two.greater)} of ${String(two.all)}, the other in ${String(two.other)}; ${String(two.needless.length)} of ${String(two.rollbacks)} rollbacks needless`,
    ...(are + areNot === 0 ? [] : [`self-sustained: said of ${String(saidAre)} of ${String(are)} that are, and not of ${String(saidAreNot)} of ${String(areNot)} that are not`]),
  ];
}

/** Where a rule is weak, the weakest first. */
export function sayShapes({ shapes }: Tally): string {
  const weak = Object.entries(shapes).filter(([, { all, right }]) => right < all).toSorted(([, a], [, b]) => a.right / a.all - b.right / b.all);
  return weak.map(([shape, { all, right }]) => `  ${shape.padEnd(52)} ${String(right).padStart(4)} of ${String(all).padStart(4)}`).join('\n');
}

export function sayWrong({ scenario, shape, besides, said }: Wrong): string {
  return `  ${scenario} (${shape}${besides.length === 0 ? '' : `; ${besides.join(', ')}`}): ${said}`;
}

export function say(
  tallies: readonly Tally[],
  { seeds, seconds, failures, wrong }: { readonly seeds: string; readonly seconds: number; readonly failures: readonly string[]; readonly wrong: boolean },
): string {
  const [assessed] = tallies;
  const weak = assessed === undefined ? '' : sayShapes(assessed);
  return [
    `${String(assessed?.scenarios ?? 0)} scenarios, ${seeds} seeds, ${seconds.toFixed(0)} s`,
    ...tallies.map(sayTable),
    ...(weak === '' ? [] : [`not always right about:\n${weak}`]),
    ...(wrong && assessed !== undefined ? [`judged wrongly:\n${assessed.wrong.map(sayWrong).join('\n')}`] : []),
    ...([...(assessed?.falseRollbacks ?? []), ...(assessed?.two.needless ?? [])].map((one) => `FALSE ROLLBACK:${sayWrong(one)}`)),
    failures.length === 0 ? 'holds: 95 % right, no rollback without a bad revision' : `FAILED: ${failures.join('; ')}`,
  ].join('\n\n');
}

/** A bar on a terminal; nothing elsewhere. */
export class Progress {
  private done = 0;

  constructor(
    private readonly all: number,
    private readonly out: NodeJS.WriteStream = process.stderr,
  ) {}

  add(n: number): void {
    this.done += n;
    if (!this.out.isTTY) return;
    const filled = Math.round((30 * this.done) / this.all);
    this.out.write(`\r${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${String(this.done)} of ${String(this.all)}`);
    if (this.done >= this.all) this.out.write('\r\x1B[K');
  }
}
