import type { Judge } from '../judges/judge.js';
import type { Scenario } from '../scenario.js';

export interface Wrong {
  readonly scenario: string;
  readonly shape: string;
  readonly besides: readonly string[];
  readonly said: string;
}

/** How one rule did. Only sums and lists: tallies of parts can be sent and added. */
export interface Tally {
  readonly rule: string;
  scenarios: number;
  right: number;
  /** truth → what was said → how often. */
  readonly said: Record<string, Record<string, number>>;
  /** `truth: shape` → how many, how many right. */
  readonly shapes: Record<string, { all: number; right: number }>;
  /** Of a revision that was not to blame. */
  readonly falseRollbacks: Wrong[];
  readonly missedBad: Wrong[];
  readonly wrong: Wrong[];
}

export function emptyTally(rule: string): Tally {
  return { rule, scenarios: 0, right: 0, said: {}, shapes: {}, falseRollbacks: [], missedBad: [], wrong: [] };
}

/** Causes that are right only with the right name: acting on another one does harm. */
const NAMED: ReadonlySet<string> = new Set(['bad_revision', 'poison_job']);

export function count(tally: Tally, judge: Judge, scenario: Scenario): void {
  const { truth, shape, blamed, besides, name } = scenario;
  const verdict = judge.judge(scenario);
  const named = verdict.subject !== null && blamed.includes(verdict.subject);
  const right = verdict.cause === truth && (named || !judge.names || !NAMED.has(truth));
  const row = (tally.said[truth] ??= {});
  row[verdict.cause] = (row[verdict.cause] ?? 0) + 1;
  const ofShape = (tally.shapes[`${truth}: ${shape}`] ??= { all: 0, right: 0 });
  ofShape.all += 1;
  tally.scenarios += 1;
  if (right) {
    tally.right += 1;
    ofShape.right += 1;
  }
  const wrong: Wrong = { scenario: name, shape, besides, said: `${verdict.cause}${verdict.subject === null ? '' : ` (${verdict.subject})`}` };
  if (!right) tally.wrong.push(wrong);
  if (verdict.action === 'rollback' && (truth !== 'bad_revision' || (judge.names && !named))) tally.falseRollbacks.push(wrong);
  if (truth === 'bad_revision' && !right) tally.missedBad.push(wrong);
}

/** Adds what another part has counted. */
export function add(to: Tally, part: Tally): void {
  to.scenarios += part.scenarios;
  to.right += part.right;
  for (const [truth, row] of Object.entries(part.said)) {
    const sums = (to.said[truth] ??= {});
    for (const [cause, n] of Object.entries(row)) sums[cause] = (sums[cause] ?? 0) + n;
  }
  for (const [shape, { all, right }] of Object.entries(part.shapes)) {
    const sums = (to.shapes[shape] ??= { all: 0, right: 0 });
    sums.all += all;
    sums.right += right;
  }
  to.falseRollbacks.push(...part.falseRollbacks);
  to.missedBad.push(...part.missedBad);
  to.wrong.push(...part.wrong);
}

const LEAST_RIGHT = 0.95;

/** What is claimed, and missed. */
export function failuresOf({ rule, right, scenarios, falseRollbacks }: Tally): readonly string[] {
  return [
    ...(right < LEAST_RIGHT * scenarios ? [`${rule}: less than 95 % right`] : []),
    ...(falseRollbacks.length > 0 ? [`${rule}: ${String(falseRollbacks.length)} rollbacks of what was not to blame`] : []),
  ];
}
