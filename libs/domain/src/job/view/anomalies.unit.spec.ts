import { describe, expect, it } from 'vitest';
import { anomaliesOf, teachesLatency } from './anomalies.js';
import { cancelRequest, decided, failed, job, queued, started, succeeded } from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';

const DAY_MS = 86_400_000;

function codesOf(...events: readonly JobEvent[]): string[] {
  return anomaliesOf(job(...events)).map((a) => (a.attempt === 0 ? a.code : `${a.code} ${String(a.attempt)}`));
}

function teaches(n: number, ...events: readonly JobEvent[]): boolean {
  const state = job(...events);
  const attempt = state.attempts.get(n);
  return attempt !== undefined && teachesLatency(state, n, attempt);
}

describe('two successes', () => {
  const first = [started(1, { worker: { id: 'slow' } }), succeeded(1, { worker: { id: 'slow' } })];
  const second = [started(2, { worker: { id: 'quick' } }), succeeded(2, { worker: { id: 'quick' } })];
  const stalled: JobEvent[] = [queued(), ...second, decided(1, 'restart-requested'), decided(2, 'requeued', 2), ...first];

  it('of two attempts are one anomaly that names both workers (B2, observed)', () => {
    expect(anomaliesOf(job(...stalled))).toEqual([
      { code: 'two_successes', attempt: 0, workers: [{ id: 'slow' }, { id: 'quick' }] },
    ]);
  });

  it('of one attempt are one anomaly that names everyone who started it', () => {
    const copy = [started(1, { worker: { id: 'copy' } }), succeeded(1, { id: 'copy', worker: { id: 'copy' } })];
    expect(anomaliesOf(job(queued(), ...first, ...copy))).toEqual([
      { code: 'two_successes', attempt: 1, workers: [{ id: 'copy' }, { id: 'slow' }] },
    ]);
  });

  it('name the starters where the reports do not say who sent them', () => {
    const events = [started(1), succeeded(1), decided(1, 'requeued', 2), started(2), succeeded(2)];
    expect(anomaliesOf(job(...events))[0]?.workers).toEqual([{ id: 'w1' }, { id: 'w2' }]);
  });

  it('teach no run time, neither of them', () => {
    expect(teaches(1, queued(), ...first)).toBe(true);
    expect(teaches(1, ...stalled)).toBe(false);
    expect(teaches(2, ...stalled)).toBe(false);
  });

  it('are none when one success is told twice', () => {
    expect(codesOf(queued(), ...first, ...first)).toEqual([]);
  });
});

describe('a success that comes too late', () => {
  it('after a dead letter says so', () => {
    expect(codesOf(started(), decided(1, 'dead-lettered'), succeeded())).toEqual(['success_after_dead_letter 1']);
  });

  it('after a cancel or a discard says so', () => {
    expect(codesOf(started(), decided(1, 'cancelled'), succeeded())).toEqual(['success_after_cancel 1']);
    expect(codesOf(started(), decided(1, 'discarded'), succeeded())).toEqual(['success_after_cancel 1']);
  });

  it('says so too when the queue itself went on to a newer attempt', () => {
    expect(codesOf(started(), decided(1, 'dead-lettered'), succeeded(2, { ownerQueue: true }))).toEqual([
      'success_after_dead_letter 2',
    ]);
  });

  it('says so when it is of an attempt from before a redrive, but the redriven attempt itself may succeed', () => {
    const redriven = [decided(1, 'dead-lettered'), decided(2, 'redriven'), decided(3, 'requeued', 2)];
    expect(codesOf(failed(), ...redriven, succeeded(2))).toEqual([]);
    expect(codesOf(started(), ...redriven, succeeded(1))).toEqual(['success_after_dead_letter 1']);
    const deadAgain = decided(4, 'dead-lettered', 2);
    expect(codesOf(failed(), ...redriven, deadAgain, succeeded(2))).toEqual(['success_after_dead_letter 2']);
  });

  it('is none after an operator resolved the job', () => {
    expect(codesOf(started(), decided(1, 'resolved-by-hand'), succeeded())).toEqual([]);
  });
});

describe('clocks that cannot be right', () => {
  it('show an end before its start, and keep it out of the latency history', () => {
    const events = [queued(), started(1, { timeMs: 2_000 }), succeeded(1, { timeMs: 1_000, laneMs: 5 })];
    expect(codesOf(...events)).toEqual(['ended_before_started 1']);
    expect(teaches(1, ...events)).toBe(false);
  });

  it('show a run longer than any duration can be', () => {
    const startMs = Date.UTC(2020, 0, 1);
    const runFor = (ms: number) => codesOf(started(1, { timeMs: startMs }), failed(1, { timeMs: startMs + ms }));
    expect(runFor(400 * DAY_MS)).toEqual([]);
    expect(runFor(400 * DAY_MS + 1)).toEqual(['clock_absurd 1']);
  });

  it('are never compared across attempts, nor with lane time', () => {
    const events = [started(1, { timeMs: 9e12, laneMs: 1 }), decided(1, 'requeued', 2), succeeded(2, { timeMs: 5, laneMs: 2 })];
    expect(codesOf(...events)).toEqual([]);
  });
});

describe('other contradictions', () => {
  it('are facts of an attempt that nobody granted, until it is granted', () => {
    expect(codesOf(queued(), started(2))).toEqual(['attempt_unknown 2']);
    expect(codesOf(queued(), started(2), decided(1, 'requeued', 2))).toEqual([]);
    expect(codesOf(queued(), started(2, { ownerQueue: true }))).toEqual([]);
  });

  it('are a cancel after the end', () => {
    expect(codesOf(succeeded(), cancelRequest())).toEqual(['cancel_after_end']);
  });

  it('are listed by attempt, the job as a whole first', () => {
    const events = [succeeded(2), failed(2), succeeded(1), failed(1), cancelRequest()];
    expect(codesOf(...events)).toEqual([
      'two_successes',
      'cancel_after_end',
      'failed_and_succeeded 1',
      'attempt_unknown 2',
      'failed_and_succeeded 2',
    ]);
  });
});
