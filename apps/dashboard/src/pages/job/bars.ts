import type { AttemptView, DecisionView, JobDetail } from './job-queries';
import { isFinished } from './standing';

/** `lease`: what is left of it; `overdue`: silent for longer than it allows, and not given up yet. */
export type SpanKind = 'waiting' | 'held' | 'silent' | 'lease' | 'overdue' | 'grace' | 'overlap';

export interface Span {
  readonly kind: SpanKind;
  readonly fromMs: number;
  readonly toMs: number;
}

export type EndKind = 'succeeded' | 'failed' | 'failed-for-good' | 'lost' | 'hung' | 'released' | 'asked' | 'running' | 'overdue' | 'waiting' | 'never' | 'unknown';

export interface Bar {
  readonly attempt: AttemptView;
  readonly end: EndKind;
  readonly spans: readonly Span[];
  /** Where it was given up, and where it ended, in order. */
  readonly marks: readonly { readonly end: EndKind; readonly atMs: number }[];
}

/** Each attempt as what was seen of it in time: waiting, heard of, silent under its lease, asked to stop, beside a later one. */
export function barsOf(job: JobDetail, nowMs: number): readonly Bar[] {
  return job.attempts.map((attempt) => barOf(job, attempt, nowMs));
}

function barOf(job: JobDetail, attempt: AttemptView, nowMs: number): Bar {
  const n = attempt.attempt;
  const request = standingRequest(job.decisions, n);
  const next = ms(job.decisions.find(({ kind, attempt: granted }) => kind === 'requeued' && granted > n)?.at);
  const grantMs = ms(n === 1 ? job.queuedAt : job.decisions.find(({ kind, attempt: granted }) => kind === 'requeued' && granted === n)?.at);
  const startMs = ms(attempt.startedAt);
  const end = endOf(job, attempt, nowMs);
  if (startMs === null) {
    const untilMs = next ?? (isFinished(job) ? ms(job.since) : nowMs);
    return { attempt, end, spans: span('waiting', grantMs, untilMs), marks: [] };
  }
  const endedMs = ms(attempt.endedAt) ?? ms(attempt.releasedAt);
  const heardMs = Math.max(startMs, ms(attempt.lastBeatAt) ?? startMs, endedMs ?? startMs);
  const beside = attempt.overlapMs === undefined ? [] : span('overlap', heardMs - attempt.overlapMs, heardMs);
  const waited = span('waiting', grantMs, startMs);
  const ended = endedMs === null || attempt.outcome === null ? [] : [{ end: attempt.outcome, atMs: endedMs }];
  if (request !== undefined) {
    const requestMs = Date.parse(request.at);
    const signMs = Math.min(requestMs, Math.max(startMs, numberOf(request.evidence?.['lastSignMs']) ?? Math.min(heardMs, requestMs)));
    const leaseMs = Math.min(requestMs, numberOf(request.evidence?.['dueMs']) ?? requestMs);
    const overMs = next ?? ms(job.decisions.find(({ kind, n: number }) => kind === 'dead-lettered' && number > request.n)?.at) ?? (isFinished(job) ? ms(job.since) : nowMs);
    const spans = [...waited, ...moment(startMs, signMs), ...span('silent', signMs, leaseMs), ...span('overdue', leaseMs, requestMs), ...span('grace', requestMs, overMs), ...beside];
    return { attempt, end, spans, marks: [{ end: givenUpAs(request), atMs: requestMs }, ...ended] };
  }
  const heldToMs = beside[0]?.fromMs ?? heardMs;
  const leaseMs = endedMs === null && !isFinished(job) && n === job.attempt ? ms(attempt.leaseEndsAt) : null;
  return {
    attempt,
    end,
    spans: [
      ...waited,
      ...moment(startMs, heldToMs),
      ...span('silent', heldToMs, leaseMs === null ? null : Math.min(leaseMs, nowMs)),
      ...span('lease', nowMs, leaseMs),
      ...span('overdue', leaseMs, nowMs),
      ...beside,
    ],
    marks: endedMs === null ? [] : [{ end, atMs: endedMs }],
  };
}

/** The last request to restart it that was not taken back. */
function standingRequest(decisions: readonly DecisionView[], attempt: number): DecisionView | undefined {
  const request = decisions.findLast((decision) => decision.kind === 'restart-requested' && decision.attempt === attempt);
  const back = decisions.some((decision) => decision.kind === 'restart-withdrawn' && decision.attempt === attempt && decision.n > (request?.n ?? 0));
  return back ? undefined : request;
}

/** How an attempt ended by what was told of it, or by what was decided. */
export function endOf(job: JobDetail, attempt: AttemptView, nowMs: number): EndKind {
  if (attempt.outcome !== null) return attempt.outcome;
  if (attempt.releasedAt !== undefined) return 'released';
  const request = standingRequest(job.decisions, attempt.attempt);
  if (request !== undefined) return givenUpAs(request);
  const current = attempt.attempt === job.attempt && !isFinished(job);
  if (attempt.startedAt === undefined) return current ? 'waiting' : 'never';
  if (!current) return 'unknown';
  const leaseMs = ms(attempt.leaseEndsAt);
  return leaseMs !== null && leaseMs < nowMs ? 'overdue' : 'running';
}

const givenUpAs = ({ reason }: DecisionView): EndKind => (reason === 'lost' || reason === 'hung' ? reason : 'asked');
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Also of no length at all: what began and failed within one millisecond has been. */
function moment(fromMs: number, toMs: number): readonly Span[] {
  return toMs < fromMs ? [] : [{ kind: 'held', fromMs, toMs }];
}

function span(kind: SpanKind, fromMs: number | null, toMs: number | null): readonly Span[] {
  return fromMs === null || toMs === null || toMs <= fromMs ? [] : [{ kind, fromMs, toMs }];
}

function ms(at: string | undefined): number | null {
  return at === undefined ? null : Date.parse(at);
}
