import { describe, expect, it } from 'vitest';
import { bucketUpperMs, LEARNING, runTimeBucket } from '#libs/domain';
import { outcomeOf, stopsOf } from './outcome.js';
import type { Run } from './runs.js';
import { calledStuckMs, declared, fixed, fixedPerQueue, learned, never } from './ways.js';

const HOUR = 3_600_000;

function run(startMs: number, lastsMs: number, queue = 'q', kind = 'k'): Run {
  return { queue, kind, submittedMs: startMs, startMs, endMs: startMs + lastsMs };
}

describe('ways to a threshold, judged on runs that took place', () => {
  it('learn only from what had ended by then', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => run(i, 4 * HOUR));
    const way = learned(hundred);
    expect(way(run(0, 0))).toBe(HOUR);
    const later = way(run(4 * HOUR + 100, 0)) - (4 * HOUR + 100);
    expect(later).toBeCloseTo(LEARNING.factor * bucketUpperMs(runTimeBucket(4 * HOUR)), -1);
    // Judged while the threshold grows: what is known then counts.
    expect(way(run(4 * HOUR - HOUR / 2, 0))).toBeGreaterThan(8 * HOUR);
  });

  it('learn a kind’s own where it has one', () => {
    const runs = Array.from({ length: 100 }, (_, i) => run(i, i % 2 === 0 ? 4 * HOUR : 3 * HOUR, 'q', i % 2 === 0 ? 'long' : 'short'));
    const way = learned(runs, LEARNING, true);
    expect(way(run(9 * HOUR, 0, 'q', 'short'))).toBeLessThan(way(run(9 * HOUR, 0, 'q', 'long')));
    expect(way(run(9 * HOUR, 0, 'q', 'other'))).toBe(way(run(9 * HOUR, 0, 'q', 'long')));
  });

  it('call a run stuck at the first moment at which it had taken as long as was then allowed', () => {
    const steps = [{ fromMs: -Infinity, ms: 10 }, { fromMs: 105, ms: 50 }, { fromMs: 130, ms: 20 }];
    expect([90, 96, 120].map((startMs) => calledStuckMs(startMs, steps))).toEqual([100, 130, 140]);
    expect(calledStuckMs(0, [])).toBe(Infinity);
  });

  it('are fitted once, or declared', () => {
    const fitted = [run(0, 10, 'a'), run(0, 30, 'b')];
    expect(fixed(fitted, 2).way(run(100, 0))).toBe(160);
    expect(fixedPerQueue(fitted, 2)(run(100, 0, 'a'))).toBe(120);
    expect(fixedPerQueue(fitted, 2)(run(100, 0, 'c'))).toBe(100 + HOUR);
    expect(declared(never)(run(0, 0, 'q_2h'))).toBe(2.1 * HOUR);
    expect(declared(never)(run(0, 0, 'a'))).toBe(Infinity);
  });
});

describe('what comes of a way', () => {
  it('is who was called stuck and was not, and how long a stop went unnoticed', () => {
    const runs = [run(0, 10), run(0, 40), run(0, 20), run(0, 20), run(0, 20)];
    const stops = runs.map(() => 5);
    const outcome = outcomeOf(runs, stops, ({ endMs }) => (endMs === 10 ? Infinity : 30));
    expect(outcome).toMatchObject({ judged: 5, wrong: 1, wrongLater: 1, later: 4, medianMs: 25, p95Ms: Infinity, neverNoticed: 1 });
  });

  it('stops each run somewhere within it, the same for the same seed', () => {
    const runs = Array.from({ length: 50 }, (_, i) => run(i * 100, 60));
    const stops = stopsOf(runs, 7);
    expect(stops).toEqual(stopsOf(runs, 7));
    expect(stops.every((ms, i) => ms >= i * 100 && ms < i * 100 + 60)).toBe(true);
    expect(new Set(stops.map((ms, i) => ms - i * 100)).size).toBe(50);
  });
});
