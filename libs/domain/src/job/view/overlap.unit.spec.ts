import { describe, expect, it } from 'vitest';
import { claimed, decided, job, queued, released, started, succeeded } from '../events/events.fixture.js';
import { overlapMs } from './overlap.js';

describe('the time in which two attempts ran at once', () => {
  const twice = [queued(), claimed(1), decided(1, 'requeued', 2), claimed(2, { laneMs: 1_000 })];

  it('is from the start of the later to the last sign of the earlier, refused ones too', () => {
    expect(overlapMs(job(...twice), 1)).toBe(0);
    expect(overlapMs(job(...twice, decided(2, 'write-refused', 1, { laneMs: 1_700 })), 1)).toBe(700);
    expect(overlapMs(job(...twice, released(1, { laneMs: 1_300 })), 1)).toBe(300);
    expect(overlapMs(job(...twice), 1, 1_900)).toBe(900);
  });

  it('is none where the worker let go before, or nobody has begun a later one', () => {
    const observed = [queued(), started(1), decided(1, 'requeued', 2)];
    expect(overlapMs(job(...observed, succeeded(1, { laneMs: 5_000 })), 1)).toBe(0);
    expect(overlapMs(job(...twice, released(1, { laneMs: 900 })), 1)).toBe(0);
    expect(overlapMs(job(...twice, released(2, { laneMs: 9_000 })), 2)).toBe(0);
  });
});
