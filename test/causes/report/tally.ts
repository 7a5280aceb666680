import type { Judge, Verdict } from '../judges/judge.js';
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
  /** Whether it goes on by itself, of a rule that says so. */
  readonly selfSustained: { are: number; saidAre: number; areNot: number; saidAreNot: number };
  /** Poison jobs that came within a minute of the beginning of an innocent release. */
  readonly poisonAfterDeploy: { all: number; right: number; rollbacks: number };
  /** Of two causes at once: which of them was named. Counted nowhere else. */
  readonly two: { all: number; greater: number; other: number; rollbacks: number; readonly needless: Wrong[] };
}

export function emptyTally(rule: string): Tally {
  return { rule, scenarios: 0, right: 0, said: {}, shapes: {}, falseRollbacks: [], missedBad: [], wrong: [], ...noMore() };
}

function noMore(): Pick<Tally, 'selfSustained' | 'poisonAfterDeploy' | 'two'> {
  return {
    selfSustained: { are: 0, saidAre: 0, areNot: 0, saidAreNot: 0 },
    poisonAfterDeploy: { all: 0, right: 0, rollbacks: 0 },
    two: { all: 0, greater: 0, other: 0, rollbacks: 0, needless: [] },
  };
}

/** Causes that are right only with the right name: acting on another one does harm. */
const NAMED: ReadonlySet<string> = new Set(['bad_revision', 'poison_job']);

/** From the beginning of a release to a poison job, at most, for it to be taken for the release's. */
const JUST_AFTER_MS = 60_000;

export function count(tally: Tally, judge: Judge, scenario: Scenario): void {
  const { truth, shape, blamed, besides, name } = scenario;
  const verdict = judge.judge(scenario);
  if (scenario.also !== null) {
    countTwo(tally, verdict, { ...scenario, also: scenario.also }, judge.names);
    return;
  }
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
  countSustained(tally, verdict, scenario);
  if (truth === 'poison_job' && justAfterDeploy(scenario)) {
    tally.poisonAfterDeploy.all += 1;
    if (right) tally.poisonAfterDeploy.right += 1;
    if (verdict.action === 'rollback') tally.poisonAfterDeploy.rollbacks += 1;
  }
}

export function justAfterDeploy({ releasedMs, wrongMs }: Pick<Scenario, 'releasedMs' | 'wrongMs'>): boolean {
  return releasedMs !== null && wrongMs >= releasedMs && wrongMs - releasedMs <= JUST_AFTER_MS;
}

function countSustained({ selfSustained: sums }: Tally, { selfSustained: said }: Verdict, { selfSustained: is }: Scenario): void {
  if (said === undefined) return;
  sums[is ? 'are' : 'areNot'] += 1;
  if (said === is) sums[is ? 'saidAre' : 'saidAreNot'] += 1;
}

/** A rollback is needless where neither is a bad revision, or it is another one. */
function countTwo({ two }: Tally, verdict: Verdict, scenario: Scenario & { readonly also: string }, names: boolean): void {
  const { truth, also, blamed, name, shape, besides } = scenario;
  const named = !names || !NAMED.has(verdict.cause) || (verdict.subject !== null && blamed.includes(verdict.subject));
  two.all += 1;
  if (verdict.cause === truth && named) two.greater += 1;
  else if (verdict.cause === also && named) two.other += 1;
  if (verdict.action !== 'rollback') return;
  two.rollbacks += 1;
  if (!named || (truth !== 'bad_revision' && also !== 'bad_revision')) two.needless.push({ scenario: name, shape, besides, said: `${verdict.cause} (${verdict.subject ?? ''})` });
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
  sum(to.selfSustained, part.selfSustained);
  sum(to.poisonAfterDeploy, part.poisonAfterDeploy);
  for (const key of ['all', 'greater', 'other', 'rollbacks'] as const) to.two[key] += part.two[key];
  to.two.needless.push(...part.two.needless);
}

function sum<K extends string>(to: Record<K, number>, part: Readonly<Record<K, number>>): void {
  for (const key of Object.keys(part) as K[]) to[key] += part[key];
}

const LEAST_RIGHT = 0.95;
/** Of so many poison jobs some come just after a deploy, or nothing was shown of those. */
const MANY_POISON = 40;

/** What is claimed, and missed. */
export function failuresOf({ rule, right, scenarios, falseRollbacks, said, poisonAfterDeploy, two }: Tally): readonly string[] {
  const poison = Object.values(said['poison_job'] ?? {}).reduce((a, b) => a + b, 0);
  return [
    ...(right < LEAST_RIGHT * scenarios ? [`${rule}: less than 95 % right`] : []),
    ...(falseRollbacks.length > 0 ? [`${rule}: ${String(falseRollbacks.length)} rollbacks of what was not to blame`] : []),
    ...(two.needless.length > 0 ? [`${rule}: ${String(two.needless.length)} needless rollbacks where two things were wrong`] : []),
    ...(poison >= MANY_POISON && poisonAfterDeploy.all === 0 ? ['no poison job came within a minute of a deploy'] : []),
  ];
}
