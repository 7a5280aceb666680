import type { IncidentStep } from '../incident/incident.js';
import type { FromData } from './checklists.js';
import { causeOf, type Cause } from './cause-of.js';
import { causeWords } from '../cause/cause-words.js';
import type { OutcomeCounts } from '../cause/outcome-counts.js';
import type { PostmortemFacts, TracedJobs } from './facts.js';
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

  recorded: ({ facts: { counts, jobs } }: Known): FromData | null => {
    if (counts === null) return null;
    const { before, during } = counts;
    return settled('Yes: of the quiet time before, and of the time of the incident.', {
      failedBefore: ratio(before.counts),
      failedDuring: ratio(during.counts),
      startedPerMinuteBefore: perMinute(before.counts.started, before),
      startedPerMinuteDuring: perMinute(during.counts.started, during),
      // An attempt that is no job's first is a retry, whoever asked for it.
      retriesBefore: Math.max(0, before.counts.started - before.counts.queued),
      retriesDuring: Math.max(0, during.counts.started - during.counts.queued),
      waitingNow: jobs.waiting,
    });
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

  races: ({ facts: { counts } }: Known): FromData | null => {
    if (counts === null) return null;
    const { writeRefused, contradicted } = counts.during.counts;
    const none = writeRefused + contradicted === 0;
    const says = 'Invalidations go out before the command that runs a job again.';
    return settled(none ? `${says} No two workers wrote to one job.` : `${says} Late writes were refused or contradicted what was there.`, { lateWritesRefused: writeRefused, contradicting: contradicted });
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
