import { describe, expect, it } from 'vitest';
import { probingMove, SAMPLES, type SampleTally } from './probing.js';

const rule = { share: 0.8, probes: 3, everyMs: 30_000 };
const tally = (changes: Partial<SampleTally>): SampleTally => ({ sinceMs: null, probedMs: 0, failed: 0, succeeded: 0, ...changes });

describe('probing', () => {
  it('begins when nearly all of what is requeued fails again, and not before enough of it is known', () => {
    expect(probingMove(tally({ failed: SAMPLES - 1 }), rule, 0)).toBeNull();
    expect(probingMove(tally({ failed: SAMPLES }), rule, 0)).toBe('begin');
    expect(probingMove(tally({ failed: 17, succeeded: 3 }), rule, 0)).toBe('begin');
  });

  it('does not begin at the share itself: the samples are taken anew', () => {
    expect(probingMove(tally({ failed: 16, succeeded: 4 }), rule, 0)).toBe('forget');
    expect(probingMove(tally({ failed: SAMPLES }), { ...rule, share: 1 }, 0)).toBe('forget');
  });

  it('gives out probes again in its time, and ends with the first that succeeds', () => {
    const probing = { sinceMs: 1_000, probedMs: 10_000 };
    expect(probingMove(tally({ ...probing, failed: 3 }), rule, 39_999)).toBeNull();
    expect(probingMove(tally({ ...probing, failed: 3 }), rule, 40_000)).toBe('again');
    expect(probingMove(tally({ ...probing, failed: 2, succeeded: 1 }), rule, 10_001)).toBe('end');
  });
});
