import type { AttemptView, DecisionView, JobDetail } from './job-queries';
import { isFinished } from './standing';

export type SpanKind = 'waiting' | 'held' | 'silent' | 'grace' | 'overlap';

export interface Span {
  readonly kind: SpanKind;
  readonly fromMs: number;
  readonly toMs: number;
}

export type EndKind = 'succeeded' | 'failed' | 'failed-for-good' | 'lost' | 'hung' | 'released' | 'asked' | 'running' | 'waiting' | 'never' | 'unknown';

export interface Bar {
  readonly attempt: AttemptView;
  readonly end: EndKind;
  readonly spans: readonly Span[];
  /** Where it ended, or was given up; null: it has not. */
  readonly endMs: number | null;
}

/** Each attempt as what was seen of it in time: waiting, heard of, silent under its lease, asked to stop, beside a later one. */
export function barsOf(job: JobDetail, nowMs: number): readonly Bar[] {
  return job.attempts.map((attempt) => barOf(job, attempt, nowMs));
}

function barOf(job: JobDetail, attempt: AttemptView, nowMs: number): Bar {
  const n = attempt.attempt;
  const request = standingRequest(job.decisions, n);
  const next = job.decisions.find(({ kind, attempt: granted }) => kind === 'requeued' && granted > n);
  const grantMs = ms(n === 1 ? job.queuedAt : job.decisions.find(({ kind, attempt: granted }) => kind === 'requeued' && granted === n)?.at);
  const startMs = ms(attempt.startedAt);
  const end = endOf(job, attempt, request);
  const over = isFinished(job) ? ms(job.since) : null;
  if (startMs === null) {
    const untilMs = ms(next?.at) ?? over ?? nowMs;
    return { attempt, end, spans: span('waiting', grantMs, untilMs), endMs: null };
  }
  const endedMs = ms(attempt.endedAt) ?? ms(attempt.releasedAt);
  const requestMs = ms(request?.at);
  const heardMs = Math.max(startMs, ms(attempt.lastBeatAt) ?? startMs, endedMs ?? startMs);
  const leaseMs = ms(attempt.leaseEndsAt) ?? dueOf(request) ?? requestMs;
  // Beats that came after it was given up are the overlap's.
  const beside = overlapOf(attempt, heardMs);
  const heldToMs = beside === null ? heardMs : Math.min(heardMs, beside.fromMs);
  const stoppedMs = ms(next?.at) ?? ms(job.decisions.find(({ kind, attempt: of, n: number }) => kind === 'dead-lettered' && of === n && number > (request?.n ?? 0))?.at);
  return {
    attempt,
    end,
    endMs: endedMs ?? requestMs ?? null,
    spans: [
      ...span('waiting', grantMs, startMs),
      ...span('held', startMs, heldToMs),
      ...(endedMs === null ? span('silent', heldToMs, requestMs === null ? leaseMs : Math.min(leaseMs ?? requestMs, requestMs)) : []),
      ...(requestMs !== null && endedMs === null ? span('grace', requestMs, stoppedMs ?? (job.status === 'restart-requested' ? nowMs : requestMs)) : []),
      ...(beside === null ? [] : [beside]),
    ],
  };
}

/** The last request to restart it that was not taken back. */
function standingRequest(decisions: readonly DecisionView[], attempt: number): DecisionView | undefined {
  const request = decisions.findLast((decision) => decision.kind === 'restart-requested' && decision.attempt === attempt);
  const back = decisions.some((decision) => decision.kind === 'restart-withdrawn' && decision.attempt === attempt && decision.n > (request?.n ?? 0));
  return back ? undefined : request;
}

export function endOf(job: JobDetail, attempt: AttemptView, request = standingRequest(job.decisions, attempt.attempt)): EndKind {
  if (attempt.outcome !== null) return attempt.outcome;
  if (attempt.releasedAt !== undefined) return 'released';
  if (request !== undefined) return request.reason === 'lost' || request.reason === 'hung' ? request.reason : 'asked';
  const current = attempt.attempt === job.attempt && !isFinished(job);
  if (attempt.startedAt === undefined) return current ? 'waiting' : 'never';
  return current ? 'running' : 'unknown';
}

function overlapOf({ overlapMs }: AttemptView, heardMs: number): Span | null {
  return overlapMs === undefined ? null : { kind: 'overlap', fromMs: heardMs - overlapMs, toMs: heardMs };
}

function dueOf(request: DecisionView | undefined): number | null {
  const due = request?.evidence?.['dueMs'];
  return typeof due === 'number' ? due : null;
}

function span(kind: SpanKind, fromMs: number | null, toMs: number | null): readonly Span[] {
  return fromMs === null || toMs === null || toMs <= fromMs ? [] : [{ kind, fromMs, toMs }];
}

function ms(at: string | undefined): number | null {
  return at === undefined ? null : Date.parse(at);
}
