import type { AttemptState, JobState } from './state.js';
import { currentAttempt } from './view.js';

/** Contradictions: kept, counted and shown; their attempts stay out of the latency history. */
export const ANOMALY_CODES = [
  'queued_again',
  'two_successes',
  'success_after_dead_letter',
  'success_after_cancel',
  'cancel_after_end',
  'ended_before_started',
  'clock_absurd',
  'starts_overflow',
  'attempt_unknown',
  'failed_and_succeeded',
] as const;
export type AnomalyCode = (typeof ANOMALY_CODES)[number];

export interface Anomaly {
  readonly code: AnomalyCode;
  /** 0 = of the job as a whole. */
  readonly attempt: number;
}

/** A run longer than this, by one emitter's own clock, is a broken clock (the bound of every duration). */
const ABSURD_RUN_MS = 400 * 86_400_000;

/** Sorted by attempt, then in the order of {@link ANOMALY_CODES}. */
export function anomaliesOf(state: JobState): readonly Anomaly[] {
  const found: Anomaly[] = [];
  if (state.queuedAgain) found.push({ code: 'queued_again', attempt: 0 });
  if (state.cancelAfterEnd) found.push({ code: 'cancel_after_end', attempt: 0 });
  if (state.attempts.size === 0) return found;
  const current = currentAttempt(state);
  const successes = [...state.attempts.values()].filter((a) => a.succeeded).length;
  for (const n of [...state.attempts.keys()].sort((a, b) => a - b)) {
    const attempt = state.attempts.get(n);
    if (attempt === undefined) continue;
    for (const code of attemptAnomalies(state, n, attempt, current, successes)) found.push({ code, attempt: n });
  }
  return found;
}

function attemptAnomalies(
  state: JobState,
  n: number,
  attempt: AttemptState,
  current: number,
  successes: number,
): AnomalyCode[] {
  const codes: AnomalyCode[] = [];
  if (attempt.succeeded && (attempt.succeededAgain || successes > 1)) codes.push('two_successes');
  if (attempt.succeeded && decidedAtOrAfter(state, n, ['dead-lettered'])) codes.push('success_after_dead_letter');
  if (attempt.succeeded && decidedAtOrAfter(state, n, ['cancelled', 'discarded'])) codes.push('success_after_cancel');
  if (endedBeforeStarted(attempt)) codes.push('ended_before_started');
  if (clockAbsurd(attempt)) codes.push('clock_absurd');
  if (attempt.startsOverflow) codes.push('starts_overflow');
  if (n > current) codes.push('attempt_unknown');
  if (attempt.succeeded && attempt.failed) codes.push('failed_and_succeeded');
  return codes;
}

/**
 * A decision is made on the fold of everything committed, and none of these is made on a job with a success: so a
 * success of the same or an older attempt can only have come later.
 */
function decidedAtOrAfter(state: JobState, attempt: number, kinds: readonly string[]): boolean {
  return state.decisions.some((d) => d.attempt >= attempt && kinds.includes(d.kind));
}

function endedBeforeStarted(attempt: AttemptState): boolean {
  const endMs = attempt.outcome?.timeMs;
  return endMs !== undefined && attempt.startTimeMs !== null && endMs < attempt.startTimeMs;
}

function clockAbsurd(attempt: AttemptState): boolean {
  const endMs = attempt.outcome?.timeMs;
  return endMs !== undefined && attempt.startTimeMs !== null && endMs - attempt.startTimeMs > ABSURD_RUN_MS;
}

/** May this attempt's run time teach thresholds? */
export function teachesLatency(state: JobState, n: number, attempt: AttemptState): boolean {
  if (attempt.outcome?.kind !== 'succeeded') return false;
  const current = currentAttempt(state);
  const successes = [...state.attempts.values()].filter((a) => a.succeeded).length;
  return attemptAnomalies(state, n, attempt, current, successes).length === 0;
}
