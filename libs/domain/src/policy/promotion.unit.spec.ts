import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { promotionOf, wilsonLowerBound } from './promotion.js';

describe('what verdicts say for a level', () => {
  it('is bounded from below as Wilson has it', () => {
    const bound = (confirmed: number, wrong: number) => wilsonLowerBound({ confirmed, wrong })?.toFixed(4);
    // Worked out independently: (p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n).
    expect([bound(20, 0), bound(73, 0), bound(72, 0), bound(95, 5), bound(0, 10), bound(1, 1)]).toEqual([
      '0.8389',
      '0.9500',
      '0.9493',
      '0.8882',
      '0.0000',
      '0.0945',
    ]);
    expect(wilsonLowerBound({ confirmed: 0, wrong: 0 })).toBeNull();
  });

  it('never exceeds the share itself, and rises with every verdict that was right', () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(5_000), (confirmed, wrong) => {
        fc.pre(confirmed + wrong > 0);
        const bound = wilsonLowerBound({ confirmed, wrong }) ?? 1;
        expect(bound).toBeLessThanOrEqual(confirmed / (confirmed + wrong));
        expect(wilsonLowerBound({ confirmed: confirmed + 1, wrong }) ?? 0).toBeGreaterThan(bound);
        expect(wilsonLowerBound({ confirmed, wrong: wrong + 1 }) ?? 1).toBeLessThanOrEqual(bound);
      }),
    );
  });

  it.each([
    ['observe', 19, 0, true, 'approve', 'too_few'],
    ['observe', 20, 0, true, 'approve', 'met'],
    ['observe', 17, 3, true, 'approve', 'bound_too_low'],
    ['observe', 500, 0, false, 'approve', 'met'],
    ['approve', 72, 0, true, 'act', 'bound_too_low'],
    ['approve', 73, 0, true, 'act', 'met'],
    ['approve', 73, 0, false, 'act', 'unsafe'],
    ['approve', 500, 20, true, 'act', 'bound_too_low'],
    ['act', 500, 0, true, null, 'at_act'],
  ] as const)('at %s, %i right and %i wrong, safe %s: next %s, %s', (level, confirmed, wrong, safe, next, code) => {
    expect(promotionOf(level, { confirmed, wrong }, safe)).toEqual({ next, code });
  });
});
