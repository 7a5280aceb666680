import { describe, expect, it } from 'vitest';
import { Random } from '../../causes/random.js';
import { claimsOf, count, emptyTally, failuresOf, upperBound } from '../report/tally.js';
import { drawRollout, SCENARIOS } from './draw.js';
import { looksAt } from './looks.js';
import { attemptsOf } from './rollout.js';
import { rowsOf } from './rows.js';

describe('rollouts that are made up', () => {
  it('are the same for the same seed, and deal out and fail as they say', () => {
    const rollout = { ...SCENARIOS.bad(new Random('a')), canaryJobs: 4_000 };
    const run = () => [...attemptsOf(rollout, new Random('b'), 1_700_000_000_000)];
    const ended = run();
    expect(run()).toEqual(ended);
    const canary = ended.filter((e) => e.track === 'canary');
    expect(canary.length).toBeGreaterThan(3_700);
    expect(canary.length / ended.length).toBeCloseTo(0.1, 1);
    const failed = (some: typeof ended) => some.filter((e) => e.end === 'failed').length / some.length;
    expect(failed(canary)).toBeGreaterThan(0.08);
    expect(failed(ended.filter((e) => e.track === 'stable'))).toBeLessThan(0.04);
    const { counts } = rowsOf(ended);
    expect(counts.reduce((sum, row) => sum + row.succeeded + row.failed + row.lost, 0)).toBe(ended.length);
  });

  it('are judged by what is true of them: a bad canary is found, and one that is as good is not blamed', () => {
    const [bad, good] = [emptyTally('bad'), emptyTally('good')];
    for (let i = 0; i < 4; i += 1) {
      const random = new Random(`unit/${String(i)}`);
      count(bad, looksAt(SCENARIOS.bad(random.fork('bad')), random.fork('run')));
      count(good, looksAt(drawRollout(random.fork('good')), random.fork('run')));
    }
    expect([bad.unhealthy, good.unhealthy]).toEqual([4, 0]);
  });
});

describe('the report', () => {
  it('misses a claim that the figures do not bear out, or that nothing was counted for', () => {
    expect(upperBound(0, 2_000)).toBeLessThan(0.002);
    expect(upperBound(100, 2_000)).toBeGreaterThan(0.05);
    const tally = (scenario: 'good' | 'margin' | 'bad' | 'slow', unhealthy: number, healthy: number) => ({ ...emptyTally(scenario), rollouts: 1_000, unhealthy, healthy });
    const fine = [tally('good', 20, 500), tally('margin', 300, 20), tally('bad', 990, 0), tally('slow', 990, 0)];
    expect(failuresOf(claimsOf(fine))).toEqual([]);
    expect(failuresOf(claimsOf(fine.with(0, tally('good', 60, 500))))).toHaveLength(1);
    expect(failuresOf(claimsOf(fine.with(2, tally('bad', 890, 0))))).toHaveLength(1);
    expect(failuresOf(claimsOf([]))).toHaveLength(4);
  });
});
