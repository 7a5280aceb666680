import { describe, expect, it } from 'vitest';
import { decided, failed, job, queued, started, succeeded } from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';
import { contributionOf, histogramOf, longerBucket, runTimeBucket } from './contribution.js';
import { givenUpRuns } from './given-up-runs.js';
import { viewOf } from './view.js';

function givenUp(...events: readonly JobEvent[]): readonly number[] {
  const state = job(...events);
  return givenUpRuns(state, viewOf(state));
}

function given(n: number, attempt: number, laneMs: number, reason = 'lost') {
  return decided(n, 'restart-requested', attempt, { laneMs, reason, by: 'jobwarden', seenMs: 100 });
}

const begun = [queued(), started(1, { laneMs: 100 })];
const twice = [...begun, given(1, 1, 700), decided(2, 'requeued', 2), started(2, { laneMs: 900 })];

describe('runs that were given up', () => {
  it('count when nobody ever brought the job to an end: all its runs may have been cut', () => {
    const cut = [...twice, given(3, 2, 1_500), decided(4, 'dead-lettered', 2)];
    expect(givenUp(...cut)).toEqual([600, 600]);
  });

  it('do not count before that, nor once a later attempt has succeeded', () => {
    expect(givenUp(...begun, given(1, 1, 700))).toEqual([]);
    expect(givenUp(...twice, succeeded(2, { laneMs: 1_000 }))).toEqual([]);
  });

  it('count when their own end came late and beside another’s', () => {
    expect(givenUp(...twice, succeeded(2, { laneMs: 1_000 }), succeeded(1, { laneMs: 1_200 }))).toEqual([600]);
  });

  it('do not count when their own end teaches how long they ran, or was a failure', () => {
    const late = [...twice, succeeded(1, { laneMs: 1_200 })];
    expect(givenUp(...late)).toEqual([]);
    const state = job(...late);
    expect(contributionOf(state, viewOf(state)).runTimes).toEqual([runTimeBucket(1_100)]);
    expect(givenUp(...begun, given(1, 1, 700), failed(1, { laneMs: 800 }), decided(2, 'dead-lettered', 1))).toEqual([]);
  });

  it('are not those that fell silent under a lease; but those that hung are', () => {
    const end = decided(2, 'dead-lettered', 1);
    const declared = [queued(), started(1, { laneMs: 100, leaseMs: 300 })];
    expect(givenUp(...declared, given(1, 1, 400), end)).toEqual([]);
    const beat = decided(1, 'restart-requested', 1, { laneMs: 700, reason: 'lost', by: 'jobwarden', seenMs: 400 });
    expect(givenUp(...begun, beat, end)).toEqual([]);
    expect(givenUp(...declared, given(1, 1, 700, 'hung'), end)).toEqual([600]);
  });

  it('are not those that a person had restarted', () => {
    const asked = decided(1, 'restart-requested', 1, { laneMs: 700, reason: 'operator', by: 'ada' });
    expect(givenUp(...begun, asked, decided(2, 'dead-lettered', 1))).toEqual([]);
  });

  it('stand in the upper half of the histogram', () => {
    const state = job(...begun, given(1, 1, 700), decided(2, 'dead-lettered', 1));
    const { runTimes } = contributionOf(state, viewOf(state));
    expect(runTimes).toEqual([longerBucket(runTimeBucket(600))]);
    const { ended, longer } = histogramOf(new Map([[runTimes[0] ?? -1, 3], [7, 2]]));
    expect([...ended]).toEqual([[7, 2]]);
    expect([...longer]).toEqual([[runTimeBucket(600), 3]]);
  });
});
