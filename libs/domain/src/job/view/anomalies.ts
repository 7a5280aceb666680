import type { DecisionKind } from '../events/decisions.js';
import type { Worker } from '../events/facts.js';
import { sameWorker } from '../fold/fold-starts.js';
import type { AttemptState, JobState } from '../fold/state.js';
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
  /** Of `two_successes`: everyone who may have done the work, as far as they are known. */
  readonly workers?: readonly Worker[];
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
  if (found.length === 0 && isPlain(state, current)) return found;
  const attempts = [...state.attempts];
  if (attempts.length > 1) attempts.sort(([a], [b]) => a - b);
  for (const [n, attempt] of attempts) {
    for (const code of attemptAnomalies(state, n, attempt, current)) found.push({ code, attempt: n });
  }
  const twice = twoSuccesses(attempts);
  if (twice !== null) found.push(twice);
  if (found.length < 2) return found;
  return found.sort(
    (a, b) => a.attempt - b.attempt || ANOMALY_CODES.indexOf(a.code) - ANOMALY_CODES.indexOf(b.code),
  );
}

/** One attempt, nothing decided, nothing odd: of nearly every job this is all that has to be asked. */
function isPlain(state: JobState, current: number): boolean {
  const attempt = state.attempts.get(current);
  if (state.attempts.size !== 1 || state.decisions.length > 0 || attempt === undefined) return false;
  const { succeeded, failed, succeededAgain, startsOverflow } = attempt;
  if (succeededAgain || startsOverflow || (succeeded && failed)) return false;
  return !endedBeforeStarted(attempt) && !clockAbsurd(attempt);
}

/** However many there are, they are one contradiction: the work was done more than once. */
function twoSuccesses(attempts: readonly (readonly [number, AttemptState])[]): Anomaly | null {
  const succeeded = attempts.filter(([, attempt]) => attempt.succeeded);
  const only = succeeded.length === 1 ? succeeded[0] : undefined;
  if (succeeded.length === 0 || (only !== undefined && !only[1].succeededAgain)) return null;
  const workers: Worker[] = [];
  for (const [, { outcome, starts, succeededAgain }] of succeeded) {
    // Who reported it; of a second report within one attempt only the starts tell.
    const reporter = outcome?.worker;
    const known = reporter === undefined || succeededAgain ? starts.map((s) => s.worker) : [];
    for (const worker of reporter === undefined ? known : [reporter, ...known]) {
      if (!workers.some((w) => sameWorker(w, worker))) workers.push(worker);
    }
  }
  return { code: 'two_successes', attempt: only?.[0] ?? 0, workers };
}

function attemptAnomalies(state: JobState, n: number, attempt: AttemptState, current: number): AnomalyCode[] {
  const codes: AnomalyCode[] = [];
  if (attempt.succeeded && cameAfter(state, n, ['dead-lettered'])) codes.push('success_after_dead_letter');
  if (attempt.succeeded && cameAfter(state, n, ['cancelled', 'discarded'])) codes.push('success_after_cancel');
  if (endedBeforeStarted(attempt)) codes.push('ended_before_started');
  if (clockAbsurd(attempt)) codes.push('clock_absurd');
  if (attempt.startsOverflow) codes.push('starts_overflow');
  if (n > current) codes.push('attempt_unknown');
  if (attempt.succeeded && attempt.failed) codes.push('failed_and_succeeded');
  return codes;
}

/**
 * Did this attempt's success come after such a decision? A decision is made on the fold of everything committed, and
 * none of these is made on a job with a success, so every success came after it. It contradicts the decision unless
 * the job was redriven since, and the success is of an attempt that the decision did not end.
 */
function cameAfter(state: JobState, attempt: number, kinds: readonly DecisionKind[]): boolean {
  const lastRedrive = state.decisions.findLast((d) => d.kind === 'redriven')?.n ?? 0;
  return state.decisions.some((d) => kinds.includes(d.kind) && (d.attempt >= attempt || d.n > lastRedrive));
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
  if (attempt.outcome?.kind !== 'succeeded' || attempt.succeededAgain) return false;
  if (isPlain(state, n)) return currentAttempt(state) >= n;
  for (const [other, { succeeded }] of state.attempts) if (other !== n && succeeded) return false;
  return attemptAnomalies(state, n, attempt, currentAttempt(state)).length === 0;
}
