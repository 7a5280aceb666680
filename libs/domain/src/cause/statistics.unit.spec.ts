import { describe, expect, it } from 'vitest';
import { contrast, slope, wilson } from './statistics.js';

describe('an interval of a share', () => {
  it('is wide of few samples, and says nothing of none', () => {
    expect(wilson({ of: 0, all: 0 })).toEqual({ low: 0, high: 1 });
    const few = wilson({ of: 0, all: 3 });
    expect(few.low).toBe(0);
    expect(few.high).toBeGreaterThan(0.5);
    const many = wilson({ of: 50, all: 1_000 });
    expect(many.low).toBeCloseTo(0.038, 3);
    expect(many.high).toBeCloseTo(0.065, 3);
  });
});

describe('a comparison of two groups', () => {
  it('finds what differs within each stratum', () => {
    const found = contrast([{ here: { of: 8, all: 10 }, there: { of: 1, all: 40 } }, { here: { of: 9, all: 10 }, there: { of: 0, all: 40 } }]);
    expect(found?.difference).toBeCloseTo(0.84, 1);
    expect(found?.low).toBeGreaterThan(0.6);
    expect(found?.z).toBeGreaterThan(6);
  });

  it('finds nothing where one group is only more of what fails everywhere', () => {
    // All of the difference lies between the strata: an outage that came when the other group had gone.
    const found = contrast([{ here: { of: 1, all: 10 }, there: { of: 9, all: 90 } }, { here: { of: 81, all: 90 }, there: { of: 9, all: 10 } }]);
    expect(found?.difference).toBeCloseTo(0, 5);
    expect(Math.abs(found?.z ?? 9)).toBeLessThan(0.5);
  });

  it('is none where the groups never met', () => {
    expect(contrast([{ here: { of: 5, all: 5 }, there: { of: 0, all: 0 } }])).toBeNull();
  });
});

describe('a slope', () => {
  it('is that of the line through the points', () => {
    expect(slope([[0, 1], [1, 3], [2, 5]])).toBeCloseTo(2);
    expect(slope([[1, 1]])).toBe(0);
    expect(slope([[1, 1], [1, 5]])).toBe(0);
  });
});
