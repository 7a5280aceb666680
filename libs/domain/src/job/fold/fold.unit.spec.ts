import { describe, expect, it } from 'vitest';
import { anomaliesOf } from '../view/anomalies.js';
import {
  claimed,
  decided,
  failed,
  failedForGood,
  job,
  queued,
  released,
  renewalFailed,
  started,
  succeeded,
} from '../events/events.fixture.js';
import { evolve, type JobEvent } from './fold.js';
import { retriesUsed } from '../plan/limits.js';
import { MAX_STARTS } from './state.js';
import { stateToJson } from './state-json.js';
import { viewOf } from '../view/view.js';

describe('the outcome of an attempt', () => {
  const outcomeOf = (...events: readonly JobEvent[]) => job(...events).attempts.get(1)?.outcome;

  it('is a success over any failure, whichever came first (E5)', () => {
    expect(outcomeOf(failed(), succeeded())?.kind).toBe('succeeded');
    expect(outcomeOf(succeeded(), failedForGood())?.kind).toBe('succeeded');
  });

  it('is a failure for good over one that may be retried, whichever came first', () => {
    expect(outcomeOf(failed(), failedForGood())?.kind).toBe('failed-for-good');
    expect(outcomeOf(failedForGood(), failed())?.kind).toBe('failed-for-good');
  });

  it('is, of two of a kind, the one with the smallest source, then id', () => {
    const b = failed(1, { source: 'b', id: '1', laneMs: 1 });
    const a = failed(1, { source: 'a', id: '2', laneMs: 2 });
    const a3 = failed(1, { source: 'a', id: '3', laneMs: 3 });
    expect(outcomeOf(b, a3, a)).toMatchObject({ source: 'a', id: '2', laneMs: 2 });
    expect(outcomeOf(a, b, a3)).toMatchObject({ source: 'a', id: '2', laneMs: 2 });
  });

  it('keeps one recorded conflict when failed and succeeded are both reported, and nothing for a repeat (E5)', () => {
    const state = job(started(), failed(), succeeded());
    expect(anomaliesOf(state)).toEqual([{ code: 'failed_and_succeeded', attempt: 1 }]);
    const before = stateToJson(state);
    for (const repeat of [succeeded(), failed(), started()]) evolve(state, repeat);
    expect(stateToJson(state)).toBe(before);
  });
});

describe('the starts of an attempt', () => {
  it('are a set of workers: a worker that starts twice under one incarnation is one', () => {
    const again = started(1, { id: 'again', laneMs: 50 });
    const other = started(1, { worker: { id: 'w1', incarnation: 'b' } });
    const starts = job(started(1, { laneMs: 90 }), again, other).attempts.get(1)?.starts;
    expect(starts).toEqual([
      { worker: { id: 'w1' }, laneMs: 50 },
      { worker: { id: 'w1', incarnation: 'b' }, laneMs: 0 },
    ]);
  });

  it('keep only what the fold knows of a worker, so that a repeat changes nothing', () => {
    const worker = { id: 'w1', revision: 'r2', zone: 'eu' };
    const state = job(started(1, { worker }));
    const before = stateToJson(state);
    evolve(state, started(1, { worker }));
    expect(stateToJson(state)).toBe(before);
    expect(before).not.toContain('zone');
  });

  it('are capped, with a flag and an anomaly', () => {
    const events = Array.from({ length: MAX_STARTS + 1 }, (_, i) => started(1, { worker: { id: `w${String(i)}` } }));
    const state = job(...events);
    expect(state.attempts.get(1)?.starts.map((s) => s.worker.id)).not.toContain('w8');
    expect(state.attempts.get(1)?.starts).toHaveLength(MAX_STARTS);
    expect(anomaliesOf(state)).toEqual([{ code: 'starts_overflow', attempt: 1 }]);
    expect(stateToJson(job(...events.reverse()))).toBe(stateToJson(state));
  });

  it('count from the first and the last of them, and by the longest lease that was asked for', () => {
    const attempt = job(
      started(1, { laneMs: 30, leaseMs: 10 }),
      claimed(1, { laneMs: 20, leaseMs: 40, worker: { id: 'v' } }),
    ).attempts.get(1);
    expect(attempt).toMatchObject({ firstStartMs: 20, lastStartMs: 30, leaseMs: 40, claimId: 'claim-1' });
  });

  it('are as good as shown by a release or a failed renewal; a later failed renewal extends nothing', () => {
    const view = viewOf(job(queued(), renewalFailed(1, { laneMs: 5 }), renewalFailed(1, { id: '2', laneMs: 90 })));
    expect(view).toMatchObject({ status: 'processing', sinceMs: 5 });
    expect(viewOf(job(queued(), released(1, { laneMs: 7 })))).toMatchObject({ status: 'processing', sinceMs: 7 });
  });
});

describe('a job that is queued again', () => {
  it('is the same run: the earliest event counts, the other is an anomaly', () => {
    const first = queued({ laneMs: 1, kind: 'a' });
    const second = queued({ laneMs: 2, kind: 'b', id: 'queued/2' });
    for (const state of [job(first, second), job(second, first), job(second, first, second)]) {
      expect(state.queued?.kind).toBe('a');
      expect(viewOf(state)).toMatchObject({ status: 'queued', sinceMs: 1, attempt: 1 });
      expect(anomaliesOf(state)).toEqual([{ code: 'queued_again', attempt: 0 }]);
    }
  });

  it('is no anomaly when the same event comes again', () => {
    expect(anomaliesOf(job(queued(), queued()))).toEqual([]);
  });
});

describe('the decisions of a job', () => {
  it('are kept by number, whatever order they come in, and without their evidence', () => {
    const evidence = { why: 'long' };
    const state = job(decided(3, 'requeued', 2), decided(1, 'restart-requested', 1, { evidence }), decided(2, 'republished'));
    expect(state.decisions.map((d) => d.n)).toEqual([1, 2, 3]);
    expect(stateToJson(state)).not.toContain('long');
  });

  it('do not let the row grow when a worker comes and goes: of each the newest is kept, and still bears', () => {
    const events = Array.from({ length: 30 }, (_, i) => [
      decided(3 * i + 1, 'restart-requested'),
      decided(3 * i + 2, 'held-incomplete'),
      decided(3 * i + 3, 'restart-withdrawn'),
    ]).flat();
    const state = job(started(), ...events);
    expect(state.decisions.map((d) => d.n)).toEqual([88, 89, 90]);
    expect(viewOf(state)).toMatchObject({ status: 'processing', n: 90 });
    expect(stateToJson(job(...events.reverse(), started()))).toBe(stateToJson(state));
  });

  it('tell retries as a fold over grants, from the last redrive on', () => {
    const grants = [decided(1, 'requeued', 2), decided(2, 'requeued', 3)];
    expect(retriesUsed(job(...grants))).toBe(2);
    const redriven = [decided(3, 'dead-lettered', 3), decided(4, 'redriven', 3), decided(5, 'requeued', 4)];
    expect(retriesUsed(job(...grants, ...redriven))).toBe(0);
    expect(retriesUsed(job(...grants, ...redriven, decided(6, 'requeued', 5)))).toBe(1);
  });
});
