import type { Evidence } from '../cause/assessment.js';
import { round } from '../cause/figures.js';
import type { GatePolicy } from './gate-policy.js';
import type { GateMetric, GateMetricName, GateReason } from './verdict.js';

export const WORSE_REASONS: Readonly<Record<GateMetricName, GateReason>> = {
  failures: 'failures_worse',
  lost: 'lost_worse',
  deadLetters: 'dead_letters_worse',
  runTimes: 'run_times_worse',
};

const WHAT: Readonly<Record<GateMetricName, string>> = {
  failures: 'attempts that failed or were lost',
  lost: 'lost leases',
  deadLetters: 'dead letters',
  runTimes: 'run times',
};

/** What a metric tells, as a sentence with its figures. What is still open is told with how far it is. */
export function evidenceOf(metric: GateMetric, { margin, runTimeFactor }: GatePolicy): Evidence {
  const { name, state, canary, stable, difference, kind, worse, notWorse } = metric;
  const limit = name === 'runTimes' ? `a factor of ${String(runTimeFactor ?? 1)}` : `${String(round(margin * 100, 2))} in a hundred`;
  const says = {
    worse: `By its ${WHAT[name]} the canary is worse than stable${kind === null ? '' : `, with one kind of work alone`}.`,
    'not-worse': `By its ${WHAT[name]} the canary is not worse than stable by ${limit}.`,
    open: `By its ${WHAT[name]} it cannot be told yet.`,
    unknown: `Nothing tells of ${WHAT[name]}.`,
  }[state];
  const figures: Record<string, number | string> = {
    worseByChance: round(worse.chance, 6),
    notWorseByChance: round(notWorse.chance, 6),
    ...(canary !== null && { canary: round(canary, 4) }),
    ...(stable !== null && { stable: round(stable, 4) }),
    ...(difference !== null && { difference: round(difference, 4) }),
    ...(kind !== null && { kind }),
  };
  return { says, figures };
}
