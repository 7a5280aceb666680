import type { IncidentStep } from '../incident/incident.js';
import type { FromData } from './checklists.js';
import { causeOf, type Cause } from './cause-of.js';
import { causeWords } from '../cause/cause-words.js';
import type { OutcomeCounts } from '../cause/outcome-counts.js';
import type { CountedSpan, PostmortemFacts, RanAgain, TracedJobs } from './facts.js';
import { howMany, verb } from '../words/how-many.js';
import { timesOf, type PostmortemTimes } from './times.js';

/** The facts, read once. */
export interface Known {
  readonly facts: PostmortemFacts;
  readonly cause: Cause | null;
  readonly times: PostmortemTimes;
  readonly step: (type: IncidentStep['type']) => IncidentStep | undefined;
}

export function knownOf(facts: PostmortemFacts): Known {
  const { steps } = facts.incident;
  return { facts, cause: causeOf(steps), times: timesOf(facts), step: (type) => steps.findLast((step) => step.type === type) };
}

const settled = (says: string, figures: FromData['figures'] = {}): FromData => ({ says, figures, settles: true });
const figures = (says: string, of: FromData['figures'] = {}): FromData => ({ says, figures: of, settles: false });

/** What the data say of each item. What they cannot know is left to a person, with the figures that help. */
export const fromData = {
  poisonMessage: ({ cause }: Known): FromData | null => {
    if (cause === null) return null;
    if (cause.cause === 'poison_job') return settled(`Yes: ${cause.subject ?? 'several jobs'}.`, { confidence: cause.confidence });
    return settled(`No: it comes from ${causeWords(cause.cause)}${cause.subject === null ? '' : `, ${cause.subject}`}.`, { confidence: cause.confidence });
  },

  remoteFailures: ({ cause }: Known): FromData | null => {
    return cause?.cause === 'downstream_outage' ? figures(`The cause was a service that was gone: ${cause.subject ?? 'unnamed'}.`) : null;
  },

  hung: ({ facts: { jobs, counts } }: Known): FromData | null => {
    return counts === null ? null : figures('Attempts that were given up for silence, and jobs that still run.', { lost: counts.during.counts.lost, processing: jobs.byStatus['processing'] ?? 0 });
  },

  heapAndStacks: ({ step }: Known): FromData | null => {
    const captured = step('evidence-captured');
    if (captured === undefined) return null;
    const { outcome } = (captured.evidence ?? {}) as { outcome?: unknown };
    return figures(captured.reason, typeof outcome === 'string' ? { outcome } : {});
  },

  payloads: ({ facts: { jobs } }: Known): FromData | null => {
    const [first] = jobs.examples;
    return first === undefined ? null : figures('A job to take the payload from.', { queue: `${first.namespace}/${first.queue}`, job: first.id, status: first.status });
  },

  recorded: ({ facts: { counts, jobs, runTimes, depth } }: Known): FromData | null => {
    const deepest = deeper(depth.during, depth.signalled);
    const missing = [
      ...(runTimes.before === null ? ['run times before'] : []),
      ...(runTimes.during === null ? ['run times during it'] : []),
      ...(deepest === null ? ['depth'] : []),
      ...(counts === null ? ['attempts'] : []),
    ];
    if (missing.length === 4) return null;
    const found: FromData['figures'] = {
      ...(counts !== null && retriesOf(counts)),
      ...(runTimes.before !== null && { p50BeforeMs: Math.round(runTimes.before.p50Ms), p99BeforeMs: Math.round(runTimes.before.p99Ms) }),
      ...(runTimes.during !== null && { p50DuringMs: Math.round(runTimes.during.p50Ms), p99DuringMs: Math.round(runTimes.during.p99Ms) }),
      ...(depth.before !== null && { deepestBefore: depth.before }),
      ...(deepest !== null && { deepestDuring: deepest }),
      waitingNow: jobs.waiting,
    };
    if (missing.length === 0) return settled('Yes: of the quiet time before, and of the time of the incident.', found);
    return figures(`Only in part; not kept: ${missing.join(', ')}.`, found);
  },

  gaps: ({ facts: { counts, beside, traces } }: Known): FromData | null => {
    if (counts === null && traces.seen === 0) return null;
    const others = Object.entries(beside).map(([kind, n]) => `${String(n)} × ${kind}`);
    const hidden = others.length === 0 ? 'Nothing was hidden: no other incident in that time.' : `Beside it: ${others.join(', ')}.`;
    return settled(hidden, { ...(counts !== null && silences(counts.during.counts)), ...tracesOf(traces) });
  },

  deadLetters: ({ facts: { deadLetters, counts } }: Known): FromData | null => {
    const { letters, patterns } = deadLetters;
    if (letters === 0) return settled('Nothing was dead-lettered.', { deadLettered: counts?.during.counts.deadLettered ?? 0 });
    const [first] = patterns;
    const share = first === undefined ? 0 : Math.round((100 * first.letters) / letters);
    const says = first === undefined ? 'They have no pattern yet.' : share >= 80 ? `One pattern: ${first.says}.` : `No single one: the largest is ${first.says}.`;
    return settled(says, { deadLettered: letters, patterns: patterns.length, largestPercent: share });
  },

  races: ({ facts: { counts, again } }: Known): FromData | null => {
    if (counts === null) return null;
    const { writeRefused, contradicted } = counts.during.counts;
    const races = { lateWritesRefused: writeRefused, contradicting: contradicted };
    const wrote = writeRefused + contradicted === 0 ? 'No two workers wrote to one job.' : 'Late writes were refused or contradicted what was there.';
    if (again === null) return figures(`More went out since than is counted here. ${wrote}`, races);
    const { commands, invalidated, withoutKeys, parkedInvalidations, parkedCommands } = again;
    const byOthers = Math.max(0, retriesIn(counts.during) - commands);
    const known = { ranAgain: commands, afterInvalidation: invalidated, withoutCacheKeys: withoutKeys, parkedInvalidations, parkedCommands, retriedByOthers: byOthers, ...races };
    const open = openOf(again, byOthers);
    if (open !== '') return figures(`${open} ${wrote}`, known);
    return settled(`${commands === 0 ? 'Nothing was run again.' : 'Each command that ran a job again went out behind its invalidation.'} ${wrote}`, known);
  },

  restart: ({ facts: { incident }, times, step }: Known): FromData | null => {
    const done = (['isolated', 'rolled-back', 'replicas-restored', 'verified'] as const).flatMap((type) => step(type)?.reason ?? []);
    const falls = incident.steps.filter(({ type }) => type === 'readmission-fell-back').length;
    const escalated = step('escalated');
    if (done.length === 0 && escalated === undefined) return null;
    const says = [...done, ...(escalated === undefined ? [] : [`given to a person: ${escalated.reason}`])].join('; ');
    return settled(`${says}.`, { readmissionFellBack: falls, ...(times.restoreMs !== null && { restoredAfterSeconds: Math.round(times.restoreMs / 1_000) }) });
  },

  alerts: ({ facts: { signals }, times }: Known): FromData | null => {
    const sources = [...new Set(signals.map(({ source }) => source))];
    return figures(sources.length === 0 ? 'No alert told of it: a person opened it.' : `Told by ${sources.map(sourceWords).join(' and ')}.`, {
      signals: signals.length,
      ...(times.detectMs !== null && { detectedAfterSeconds: Math.round(times.detectMs / 1_000) }),
    });
  },
} as const;

const SOURCES: Readonly<Record<string, string>> = { evaluator: 'Jobwarden’s own evaluation', alertmanager: 'an alert', person: 'a person' };

/** A source that another version of the program knows stays as it is. */
const sourceWords = (source: string): string => (Object.hasOwn(SOURCES, source) ? (SOURCES[source] ?? source) : source);

/** An attempt that is no job's first is a retry, whoever asked for it. */
function retriesIn({ counts: { started, queued } }: CountedSpan): number {
  return Math.max(0, started - queued);
}

/** By the minute: the two spans differ in length. */
function retriesOf({ before, during }: NonNullable<PostmortemFacts['counts']>): FromData['figures'] {
  return {
    failedBefore: ratio(before.counts),
    failedDuring: ratio(during.counts),
    startedPerMinuteBefore: perMinute(before.counts.started, before),
    startedPerMinuteDuring: perMinute(during.counts.started, during),
    retriesPerMinuteBefore: perMinute(retriesIn(before), before),
    retriesPerMinuteDuring: perMinute(retriesIn(during), during),
  };
}

function deeper(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** What only a person can know the rest of: whether such jobs fill a cache at all, what became of what is parked, and who else ran jobs again. */
function openOf({ commands, invalidated, withoutKeys, parkedInvalidations, parkedCommands }: RanAgain, byOthers: number): string {
  const gone = commands - invalidated - withoutKeys;
  const parked = parkedInvalidations + parkedCommands;
  return [
    ...(withoutKeys > 0 ? [`${howMany(withoutKeys, 'job')} of ${String(commands)} that ran again ${verb(withoutKeys, 'names', 'name')} no cache keys: is there a cache?`] : []),
    ...(gone > 0 ? [`${howMany(gone, 'command')} went out before the invalidation, or that is not known any more.`] : []),
    ...(parked > 0 ? [`${howMany(parked, 'message')} ${verb(parked, 'is', 'are')} parked.`] : []),
    ...(byOthers > 0 ? [`${howManyRetries(byOthers)} by no command: by a claim, or by the queue's own library.`] : []),
  ].join(' ');
}

function howManyRetries(n: number): string {
  return n === 1 ? '1 retry was begun' : `${String(n)} retries were begun`;
}

/** Of those that ended, in per cent; `none` where none did. */
function silences({ started, succeeded, failed, lost }: OutcomeCounts): FromData['figures'] {
  return { startedWithoutEnd: Math.max(0, started - succeeded - failed - lost), endedBySilence: lost };
}

/** Left out where nobody traces: then there is nothing to say of traces. */
function tracesOf({ seen, withoutEnd, gaps }: TracedJobs): FromData['figures'] {
  if (seen === 0) return {};
  return { tracesWithoutEnd: withoutEnd, visibilityGaps: gaps.count, openGaps: gaps.open, longestGapSeconds: Math.round(gaps.longestMs / 1_000) };
}

function ratio({ succeeded, failed, lost }: { succeeded: number; failed: number; lost: number }): string {
  const ended = succeeded + failed + lost;
  return ended === 0 ? 'none ended' : `${((100 * (failed + lost)) / ended).toFixed(1)} %`;
}

function perMinute(n: number, { fromMs, toMs }: { fromMs: number; toMs: number }): number {
  return toMs <= fromMs ? 0 : Math.round((600_000 * n) / (toMs - fromMs)) / 10;
}
