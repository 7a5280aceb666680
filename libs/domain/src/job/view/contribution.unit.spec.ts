import { describe, expect, it } from 'vitest';
import { bucketUpperMs, contributionOf, quantileMs, RUN_TIME_BUCKETS, runTimeBucket } from './contribution.js';
import { decided, failed, job, queued, started, succeeded } from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';
import { viewOf } from './view.js';

function contributed(...events: readonly JobEvent[]) {
  const state = job(...events);
  return contributionOf(state, viewOf(state));
}

describe('what a row adds to its queue’s counters', () => {
  it('is how its attempts ended, how often it was granted again, and where it stands', () => {
    const events = [
      queued({ kind: 'mail' }),
      started(1),
      decided(1, 'restart-requested', 1, { reason: 'lost' }),
      decided(2, 'requeued', 2),
      failed(2),
      decided(3, 'retry-scheduled', 2),
      decided(4, 'requeued', 3),
      succeeded(3, { durationMs: 100 }),
    ];
    expect(contributed(...events)).toMatchObject({
      status: 'succeeded',
      kind: 'mail',
      succeeded: 1,
      failed: 1,
      lost: 1,
      retries: 2,
      deadLettered: 0,
      anomalies: 0,
      runTimes: [runTimeBucket(100)],
    });
  });

  it('counts a lost attempt once, however often its worker comes and goes', () => {
    const lost = (n: number) => decided(n, 'restart-requested', 1, { reason: 'lost' });
    expect(contributed(started(), lost(1), decided(2, 'restart-withdrawn'), lost(3)).lost).toBe(1);
    expect(contributed(started(), decided(1, 'restart-requested', 1, { reason: 'hung' })).lost).toBe(0);
  });

  it('takes the grant of a redrive for a new beginning, not for a retry', () => {
    const redriven = [failed(), decided(1, 'dead-lettered'), decided(2, 'redriven'), decided(3, 'requeued', 2)];
    expect(contributed(...redriven)).toMatchObject({ retries: 0, deadLettered: 1 });
  });
});

describe('the run time that an attempt teaches', () => {
  it('is what the emitter measured, else the lane time between start and end', () => {
    expect(contributed(started(1, { laneMs: 10 }), succeeded(1, { laneMs: 60, durationMs: 7 })).runTimes).toEqual([
      runTimeBucket(7),
    ]);
    expect(contributed(started(1, { laneMs: 10 }), succeeded(1, { laneMs: 60 })).runTimes).toEqual([runTimeBucket(50)]);
  });

  it('is none where both were read at once, or in the wrong order, or measured by a clock set back', () => {
    expect(contributed(started(1, { laneMs: 60 }), succeeded(1, { laneMs: 60 })).runTimes).toEqual([]);
    expect(contributed(started(1, { laneMs: 70 }), succeeded(1, { laneMs: 60 })).runTimes).toEqual([]);
    expect(contributed(started(1), succeeded(1, { laneMs: 60, durationMs: -5 })).runTimes).toEqual([]);
    expect(contributed(succeeded(1, { laneMs: 60 })).runTimes).toEqual([]);
  });

  it('is none for what failed, or contradicts itself', () => {
    expect(contributed(started(), failed(1, { durationMs: 5 })).runTimes).toEqual([]);
    expect(contributed(started(), failed(), succeeded(1, { durationMs: 5 })).runTimes).toEqual([]);
  });
});

describe('run-time buckets', () => {
  it('are fixed, on a log scale, and hold everything from nothing to the longest duration', () => {
    expect(runTimeBucket(0)).toBe(0);
    expect(runTimeBucket(1)).toBe(1);
    expect(runTimeBucket(400 * 86_400_000)).toBeLessThan(RUN_TIME_BUCKETS);
    expect(runTimeBucket(Number.MAX_SAFE_INTEGER)).toBe(RUN_TIME_BUCKETS - 1);
    for (let ms = 1; ms < 1e9; ms = Math.ceil(ms * 1.07)) {
      const bucket = runTimeBucket(ms);
      expect(ms).toBeLessThanOrEqual(bucketUpperMs(bucket));
      expect(ms).toBeGreaterThanOrEqual(bucketUpperMs(bucket - 1));
    }
  });

  it('give quantiles by their upper bounds, and none without samples', () => {
    expect(quantileMs(new Map(), 0.99)).toBeNull();
    const buckets = new Map([[8, 98], [40, 1], [20, 1]]);
    expect(quantileMs(buckets, 0.5)).toBe(bucketUpperMs(8));
    expect(quantileMs(buckets, 0.99)).toBe(bucketUpperMs(20));
    expect(quantileMs(buckets, 1)).toBe(bucketUpperMs(40));
  });
});
