import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextSaturation, NOT_SATURATED, readSaturation, type SaturationPolicy, type SaturationReading } from './saturation.js';

const POLICY: SaturationPolicy = { ratio: 0.25, unprocessed: 5_000, forMs: 60_000, windowMs: 120_000, minProcessed: 20, recoverBelow: 0.1 };
const read = (processed: number, failed: number, unprocessed: number | null) => readSaturation({ processed, failed, unprocessed }, POLICY);

describe('what a look at a queue says', () => {
  it.each([
    [100, 30, 6_000, 'over'],
    [100, 25, 6_000, 'under'],
    [100, 26, 5_000, 'under'],
    [100, 26, 5_001, 'over'],
    [100, 10, 6_000, 'under'],
    [100, 9, 6_000, 'recovered'],
    [100, 9, null, 'recovered'],
    [20, 20, 6_000, 'over'],
  ] as const)('of %i processed, %i failed, %s waiting: %s', (processed, failed, unprocessed, reading) => {
    expect(read(processed, failed, unprocessed)).toBe(reading);
  });

  it('is no data where nothing was processed, or so little that it is no ratio', () => {
    expect(read(0, 0, 6_000)).toBe('no_data');
    expect(read(0, 0, null)).toBe('no_data');
    expect(read(1, 1, 6_000)).toBe('no_data');
    expect(read(19, 19, 6_000)).toBe('no_data');
  });

  it('takes an unknown backlog neither for a large nor for an empty one', () => {
    expect(read(100, 90, null)).toBe('no_data');
  });

  it('is over with the queue where nothing is processed since nothing waits', () => {
    expect(read(0, 0, 0)).toBe('recovered');
  });
});

describe('a saturated queue', () => {
  const steps = (...readings: readonly (readonly [SaturationReading, number])[]) =>
    readings.reduce((standing, [reading, atMs]) => nextSaturation(standing, reading, POLICY, atMs), NOT_SATURATED);

  it('fires once it has been over for a minute, and not a second earlier', () => {
    expect(steps(['over', 1_000], ['over', 60_000]).firingSinceMs).toBeNull();
    expect(steps(['over', 1_000], ['over', 61_000]).firingSinceMs).toBe(61_000);
  });

  it.each(['under', 'recovered', 'no_data'] as const)('begins its minute anew after a look that says %s', (between) => {
    expect(steps(['over', 0], [between, 30_000], ['over', 31_000], ['over', 90_000]).firingSinceMs).toBeNull();
    expect(steps(['over', 0], [between, 30_000], ['over', 31_000], ['over', 91_000]).firingSinceMs).toBe(91_000);
  });

  it('goes on firing while it flaps about its bound, and while nothing is known', () => {
    const fired = [['over', 0], ['over', 60_000]] as const;
    expect(steps(...fired, ['under', 70_000], ['no_data', 900_000], ['over', 910_000]).firingSinceMs).toBe(60_000);
    expect(steps(...fired, ['recovered', 70_000], ['under', 120_000], ['recovered', 140_000]).firingSinceMs).toBe(60_000);
  });

  it('stops once it has been recovered for a minute', () => {
    const fired = [['over', 0], ['over', 60_000], ['recovered', 70_000]] as const;
    expect(steps(...fired, ['recovered', 129_999])).toMatchObject({ firingSinceMs: 60_000, recoveringSinceMs: 70_000 });
    expect(steps(...fired, ['recovered', 130_000])).toEqual(NOT_SATURATED);
  });

  it('fires and stops only by what held without a break for its time, whatever the looks', () => {
    const reading = fc.constantFrom<SaturationReading>('over', 'under', 'recovered', 'no_data');
    fc.assert(
      fc.property(fc.array(fc.tuple(reading, fc.integer({ min: 1, max: 90_000 })), { maxLength: 60 }), (looks) => {
        let standing = NOT_SATURATED;
        let nowMs = 0;
        let same: { readonly reading: SaturationReading | null; readonly sinceMs: number } = { reading: null, sinceMs: 0 };
        for (const [reading, afterMs] of looks) {
          nowMs += afterMs;
          if (same.reading !== reading) same = { reading, sinceMs: nowMs };
          const before: boolean = standing.firingSinceMs !== null;
          standing = nextSaturation(standing, reading, POLICY, nowMs);
          const after: boolean = standing.firingSinceMs !== null;
          if (before === after) continue;
          expect(reading).toBe(after ? 'over' : 'recovered');
          expect(nowMs - same.sinceMs).toBeGreaterThanOrEqual(POLICY.forMs);
        }
      }),
    );
  });
});
