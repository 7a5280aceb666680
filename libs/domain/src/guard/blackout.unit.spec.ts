import { describe, expect, it } from 'vitest';
import { blackoutMove, isBlackout, soleRelease, type BlackoutSeen } from './blackout.js';

const rule = { minWorkers: 5, share: 0.3, holdMaxMs: 600_000 };

describe('what counts as a blackout', () => {
  it.each([
    { lost: 5, live: 0, held: true },
    { lost: 5, live: 11, held: true },
    { lost: 4, live: 0, held: false },
    { lost: 1, live: 0, held: false },
    { lost: 6, live: 14, held: false },
    { lost: 7, live: 14, held: true },
    { lost: 50, live: 200, held: false },
    { lost: 0, live: 0, held: false },
  ])('$lost lost beside $live that live: $held', ({ lost, live, held }) => {
    expect(isBlackout({ lost, live }, rule)).toBe(held);
  });

  it('is never reached with a share of 1', () => {
    expect(isBlackout({ lost: 1_000, live: 0 }, { ...rule, share: 1 })).toBe(false);
  });
});

describe('a blackout', () => {
  const seen = (changes: Partial<BlackoutSeen>): BlackoutSeen => {
    return { lost: 10, live: 0, nowMs: 1_000_000, sinceMs: null, laneAlive: false, ...changes };
  };

  it('begins when it stands, and goes on while it does', () => {
    expect(blackoutMove(seen({}), rule)).toBe('begin');
    expect(blackoutMove(seen({ lost: 2 }), rule)).toBeNull();
    expect(blackoutMove(seen({ sinceMs: 1 }), rule)).toBeNull();
  });

  it('ends when enough of the workers beat again, or others do', () => {
    expect(blackoutMove(seen({ sinceMs: 1, lost: 4, live: 6 }), rule)).toBe('end-by-evidence');
    expect(blackoutMove(seen({ sinceMs: 1, lost: 3, live: 7 }), rule)).toBe('end-by-evidence');
    expect(blackoutMove(seen({ sinceMs: 1, lost: 10, live: 24 }), rule)).toBe('end-by-evidence');
  });

  it('ends by itself after holdMax, and only where the lane is proved alive', () => {
    const sinceMs = 400_000;
    expect(blackoutMove(seen({ sinceMs, nowMs: 999_999, laneAlive: true }), rule)).toBeNull();
    expect(blackoutMove(seen({ sinceMs, nowMs: 1_000_000, laneAlive: true }), rule)).toBe('end-by-time');
    expect(blackoutMove(seen({ sinceMs, nowMs: 9_000_000 }), rule)).toBeNull();
  });
});

describe('the release that fell silent', () => {
  const bad = { revision: '2.5.0', lost: 6, live: 0 };
  const good = { revision: '2.4.0', lost: 0, live: 4 };
  it.each([
    ['it is told where nobody else did, and others beat', [bad, good], 6, '2.5.0'],
    ['none is told where one of it beats', [{ ...bad, live: 1 }, good], 6, null],
    ['none is told where another has lost one', [bad, { ...good, lost: 1 }], 7, null],
    ['none is told where nobody beats', [bad], 6, null],
    ['none is told where somebody silent has told none', [bad, good], 7, null],
    ['none is told where no release is known', [], 6, null],
  ] as const)('%s', (_, revisions, lost, told) => {
    expect(soleRelease(revisions, lost)).toBe(told);
  });
});
