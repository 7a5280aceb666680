import { isBearing, isByHand, type Decision } from '../events/decisions.js';
import type { AttemptState, JobState } from '../fold/state.js';
import { epochOfToken, tokenOf } from '../events/token.js';

/** Where a job stands. */
export const JOB_STATUSES = [
  'queued',
  'processing',
  'restart-requested',
  'failed',
  'retrying',
  'requeued',
  'incomplete',
  'succeeded',
  'dead-lettered',
  'cancelled',
  'discarded',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const FINISHED: ReadonlySet<JobStatus> = new Set(['succeeded', 'dead-lettered', 'cancelled', 'discarded']);

export interface JobView {
  readonly status: JobStatus;
  /** The current attempt: the highest granted, or seen where the queue itself grants. */
  readonly attempt: number;
  /** Of the current attempt's grant. */
  readonly token: number;
  /** Number of the last decision, 0 when there is none. */
  readonly n: number;
  /** Lane time since when the status holds, ms. */
  readonly sinceMs: number;
  /** The decision that bears the status, when one does. */
  readonly bearing: Decision | null;
  readonly finished: boolean;
}

interface Standing {
  readonly status: JobStatus;
  readonly sinceMs: number;
  readonly bearing: Decision | null;
}

/**
 * Status, in this order: the last by-hand decision not followed by a redrive; any accepted success; the
 * status-bearing decision with the highest n, as far as it still bears; the facts of the current attempt.
 */
export function viewOf(state: JobState): JobView {
  const attempt = currentAttempt(state);
  const { status, sinceMs, bearing } = standingOf(state, attempt);
  return {
    status,
    sinceMs,
    bearing,
    attempt,
    token: grantToken(state, attempt),
    n: state.decisions.at(-1)?.n ?? 0,
    finished: FINISHED.has(status),
  };
}

function standingOf(state: JobState, current: number): Standing {
  if (state.decisions.length === 0) {
    const firstMs = firstSuccessMs(state);
    return firstMs === null ? factsStanding(state, current, null) : { status: 'succeeded', sinceMs: firstMs, bearing: null };
  }
  const byHand = lastByHand(state);
  if (byHand !== null) return byHandStanding(byHand);
  const success = firstSuccessMs(state);
  if (success !== null) return { status: 'succeeded', sinceMs: success, bearing: null };
  const bearing = state.decisions.findLast((d) => isBearing(d.kind) && !isOutlived(state, current, d));
  return bearing === undefined ? factsStanding(state, current, null) : bearingStanding(state, current, bearing);
}

/** A request to restart, or a retry that waits, says nothing any more once what it is about has gone on. */
function isOutlived(state: JobState, current: number, { kind, attempt }: Decision): boolean {
  if (kind === 'restart-requested') return attempt < current || hasEnded(state, attempt);
  if (kind !== 'retry-scheduled') return false;
  // The attempt has ended by the failure that the retry answers. Another run of it that fails for good is another end.
  return attempt < current || state.attempts.get(attempt)?.outcome?.kind === 'failed-for-good';
}

function bearingStanding(state: JobState, current: number, bearing: Decision): Standing {
  const borne = (status: JobStatus): Standing => ({ status, sinceMs: bearing.laneMs, bearing });
  switch (bearing.kind) {
    case 'requeued':
    case 'restart-withdrawn':
      return factsStanding(state, current, bearing);
    case 'restart-requested':
      return borne('restart-requested');
    case 'retry-scheduled':
      return borne('retrying');
    case 'held-incomplete': {
      const outcome = state.attempts.get(current)?.outcome;
      return outcome?.kind === 'failed-for-good' ? factsStanding(state, current, null) : borne('incomplete');
    }
    default:
      return borne('dead-lettered');
  }
}

/** The facts of the current attempt; without any, what `bearing` left the job in, or `queued`. */
function factsStanding(state: JobState, current: number, bearing: Decision | null): Standing {
  const attempt = state.attempts.get(current);
  if (attempt?.outcome != null) return { status: 'failed', sinceMs: attempt.outcome.laneMs, bearing };
  const startedMs = attempt === undefined ? null : evidenceOfStart(attempt);
  if (startedMs !== null) return { status: 'processing', sinceMs: startedMs, bearing };
  if (bearing?.kind === 'requeued') return { status: 'requeued', sinceMs: bearing.laneMs, bearing };
  if (bearing !== null) return { status: 'processing', sinceMs: bearing.laneMs, bearing };
  return { status: 'queued', sinceMs: state.queued?.laneMs ?? state.firstMs, bearing: null };
}

/** A release or a failed renewal shows that somebody had started, although the start itself was not seen. */
function evidenceOfStart(attempt: AttemptState): number | null {
  return attempt.firstStartMs ?? attempt.releasedMs ?? attempt.renewalFailedMs;
}

function lastByHand(state: JobState): Decision | null {
  const last = state.decisions.findLast((d) => isByHand(d.kind) || d.kind === 'redriven');
  return last === undefined || last.kind === 'redriven' ? null : last;
}

function byHandStanding(decision: Decision): Standing {
  const status =
    decision.kind === 'discarded' ? 'discarded' : decision.kind === 'cancelled' ? 'cancelled' : 'succeeded';
  return { status, sinceMs: decision.laneMs, bearing: decision };
}

function firstSuccessMs(state: JobState): number | null {
  let first: number | null = null;
  for (const attempt of state.attempts.values()) {
    if (attempt.outcome?.kind !== 'succeeded') continue;
    if (first === null || attempt.outcome.laneMs < first) first = attempt.outcome.laneMs;
  }
  return first;
}

export function hasEnded(state: JobState, attempt: number): boolean {
  return state.attempts.get(attempt)?.outcome != null;
}

export function currentAttempt(state: JobState): number {
  let current = 1;
  for (const d of state.decisions) if (d.kind === 'requeued' && d.attempt > current) current = d.attempt;
  for (const n of state.attempts.keys()) if (n > current && state.attempts.get(n)?.ownerQueue === true) current = n;
  return current;
}

/**
 * The token of an attempt's grant. An attempt that the queue began by itself got none from here: it goes on from the
 * last one that did. A grant that is redeemed under a higher epoch than it was opened under gets that epoch's token:
 * the one of before the restore may have been given to somebody whom the restored log does not know of.
 */
export function grantToken(state: JobState, attempt: number): number {
  let epoch = state.epoch === Number.MAX_SAFE_INTEGER ? 0 : state.epoch;
  for (const d of state.decisions) {
    if (d.kind !== 'requeued' || d.token === undefined || d.attempt > attempt) continue;
    epoch = Math.max(epoch, epochOfToken(d.token));
  }
  for (const [n, { claimEpoch }] of state.attempts) if (n <= attempt && claimEpoch !== null) epoch = Math.max(epoch, claimEpoch);
  return tokenOf(epoch, attempt);
}
