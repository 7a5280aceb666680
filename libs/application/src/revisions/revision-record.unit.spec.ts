import { noCounts } from '#libs/domain';
import { describe, expect, it } from 'vitest';
import { isHealthy, recordsOf } from './revision-record.js';

const of = (queue: string, revision: string, succeeded: number, failed: number, at = 10, track = '') => ({
  ...{ namespace: 'default', queue, counts: noCounts() },
  revisions: [{ revision, track, counts: { ...noCounts(), started: succeeded + failed, succeeded, failed }, firstMs: at, lastMs: at + 5 }],
});

describe('the record of a release', () => {
  it('is summed over its tracks, by queue, and leaves out what nobody named', () => {
    const rates = [of('a', 'r1', 3, 1, 10, 'canary'), of('a', 'r1', 1, 0, 2, 'stable'), of('b', 'r1', 1, 1), of('a', '', 9, 9), of('a', 'other', 9, 9)];
    const records = recordsOf(rates, 'default', null);
    expect(records).toEqual([
      { queue: 'a', revision: 'r1', started: 5, succeeded: 4, failed: 1, lost: 0, firstMs: 2, lastMs: 15 },
      { queue: 'b', revision: 'r1', started: 2, succeeded: 1, failed: 1, lost: 0, firstMs: 10, lastMs: 15 },
    ]);
    expect(recordsOf(rates, 'default', 'b')).toHaveLength(1);
    expect(recordsOf(rates, 'other', null)).toEqual([]);
  });

  it('is healthy where three of four end well, of all queues together, and not without any', () => {
    expect(isHealthy(recordsOf([of('a', 'r1', 3, 1)], 'default', null), 'r1')).toBe(true);
    expect(isHealthy(recordsOf([of('a', 'r1', 3, 1), of('b', 'r1', 0, 1)], 'default', null), 'r1')).toBe(false);
    expect(isHealthy(recordsOf([of('a', 'r1', 0, 0)], 'default', null), 'r1')).toBe(false);
    expect(isHealthy([], 'r1')).toBe(false);
  });
});
