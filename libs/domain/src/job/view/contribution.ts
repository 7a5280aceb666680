import { anomaliesOf, teachesLatency } from './anomalies.js';
import { givenUpRuns } from './given-up-runs.js';
import type { JobState } from '../fold/state.js';
import type { JobStatus, JobView } from './view.js';

/**
 * What one row adds to its queue's counters: a pure function of the row, so a counter is the sum over its rows and a
 * write adds the difference of before and after. Nothing can drift, and `audit` can check the sums.
 */
export interface Contribution {
  readonly status: JobStatus;
  /** The job's kind as far as it is known; its run times are kept under it. */
  readonly kind: string;
  /** Attempts that ended, by how. */
  readonly succeeded: number;
  readonly failed: number;
  readonly lost: number;
  readonly retries: number;
  readonly deadLettered: number;
  readonly anomalies: number;
  /**
   * Per attempt that teaches a run time, {@link runTimeBucket} of it; per attempt that was given up and would have run
   * longer, {@link longerBucket} of how long it had been watched.
   */
  readonly runTimes: readonly number[];
}

export function contributionOf(state: JobState, view: JobView): Contribution {
  let succeeded = 0;
  let failed = 0;
  const runTimes: number[] = [];
  for (const n of state.attempts.keys()) {
    const attempt = state.attempts.get(n);
    if (attempt === undefined || attempt.outcome === null) continue;
    if (attempt.outcome.kind === 'succeeded') succeeded += 1;
    else failed += 1;
    const runMs = attempt.outcome.durationMs ?? laneRunMs(attempt.firstStartMs, attempt.outcome.laneMs);
    if (runMs !== null && runMs >= 0 && teachesLatency(state, n, attempt)) runTimes.push(runTimeBucket(runMs));
  }
  for (const watchedMs of givenUpRuns(state, view)) runTimes.push(longerBucket(runTimeBucket(watchedMs)));
  const decided = countDecisions(state);
  return {
    status: view.status,
    kind: state.queued?.kind ?? '',
    succeeded,
    failed,
    ...decided,
    anomalies: anomaliesOf(state).length,
    runTimes,
  };
}

const NOTHING_DECIDED = { lost: 0, retries: 0, deadLettered: 0 };

function countDecisions(state: JobState): { lost: number; retries: number; deadLettered: number } {
  if (state.decisions.length === 0) return NOTHING_DECIDED;
  const lost = new Set<number>();
  let retries = 0;
  let deadLettered = 0;
  for (const d of state.decisions) {
    if (d.kind === 'restart-requested' && d.reason === 'lost') lost.add(d.attempt);
    else if (d.kind === 'requeued') retries += 1;
    // A person's new beginning: its grant is no retry.
    else if (d.kind === 'redriven') retries -= 1;
    else if (d.kind === 'dead-lettered') deadLettered += 1;
  }
  return { lost: lost.size, retries: Math.max(retries, 0), deadLettered };
}

/** Start and end that were read at the same instant say nothing of the time between them. */
function laneRunMs(startMs: number | null, endMs: number): number | null {
  return startMs === null || endMs <= startMs ? null : endMs - startMs;
}

/** Buckets per factor of two: each is about 19 % wide. */
export const PER_OCTAVE = 4;
/** Up to 2³⁶ ms: no duration is longer than 400 days, which are a little more than 2³⁵. */
export const RUN_TIME_BUCKETS = 36 * PER_OCTAVE;

/** Fixed log-scale buckets, the same everywhere, so that histograms merge by addition. */
export function runTimeBucket(runMs: number): number {
  if (runMs < 1) return 0;
  return Math.min(RUN_TIME_BUCKETS - 1, Math.floor(Math.log2(runMs) * PER_OCTAVE) + 1);
}

/** The upper half of a histogram: runs that are only known to have been longer than this bucket of the lower half. */
export function longerBucket(bucket: number): number {
  return RUN_TIME_BUCKETS + bucket;
}

export interface RunTimeHistogram {
  /** Runs that ended well, by bucket. */
  readonly ended: ReadonlyMap<number, number>;
  /** Runs that were given up and would have been longer, by the bucket of how long they had been watched. */
  readonly longer: ReadonlyMap<number, number>;
}

/** The two halves of what counters hold. */
export function histogramOf(counts: ReadonlyMap<number, number>): RunTimeHistogram {
  const ended = new Map<number, number>();
  const longer = new Map<number, number>();
  for (const [bucket, count] of counts) {
    if (bucket < RUN_TIME_BUCKETS) ended.set(bucket, count);
    else longer.set(bucket - RUN_TIME_BUCKETS, count);
  }
  return { ended, longer };
}

/** Upper bound of a bucket, ms. */
export function bucketUpperMs(bucket: number): number {
  return 2 ** (bucket / PER_OCTAVE);
}

/** The q-quantile of a histogram by its bucket's upper bound, ms; null without samples. */
export function quantileMs(buckets: ReadonlyMap<number, number>, q: number): number | null {
  let total = 0;
  for (const count of buckets.values()) total += count;
  if (total === 0) return null;
  const rank = Math.ceil(q * total);
  let seen = 0;
  for (const bucket of [...buckets.keys()].sort((a, b) => a - b)) {
    seen += buckets.get(bucket) ?? 0;
    if (seen >= rank) return bucketUpperMs(bucket);
  }
  return null;
}
