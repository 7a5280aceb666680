import { describe, expect, it } from 'vitest';
import { Random } from '../../causes/random.js';
import { claimsOf, failuresOf, foretoldOf, upperBound } from '../report/claims.js';
import { count, emptyTally, type Tally } from '../report/tally.js';
import { looksAt, type Look } from './looks.js';
import { attemptsOf } from './rollout.js';
import { rowsOf } from './rows.js';
import { SCENARIO_NAMES, scenarioOf, type ScenarioName } from './scenarios.js';

describe('rollouts that are made up', () => {
  it('are the same for the same seed, and deal out and fail as they say', () => {
    const rollout = { ...scenarioOf('bad').draw(new Random('a')), canaryJobs: 4_000 };
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
    const unhealthy = (name: ScenarioName) => {
      const [tally, scenario] = [emptyTally(name), scenarioOf(name)];
      for (let i = 0; i < 4; i += 1) {
        const random = new Random(`unit/${String(i)}`).fork(name);
        count(tally, looksAt(scenario.draw(random.fork('draw')), random.fork('run'), scenario));
      }
      return tally.unhealthy;
    };
    expect([unhealthy('bad'), unhealthy('good'), unhealthy('loses'), unhealthy('gives-up')]).toEqual([4, 0, 4, 4]);
  });

  it('lose leases or give up and are like stable otherwise: nothing else tells', () => {
    for (const name of ['loses', 'gives-up'] as const) {
      const rollout = { ...scenarioOf(name).draw(new Random('a')), bursts: [], canaryJobs: 8_000 };
      const ended = [...attemptsOf(rollout, new Random('b'), 1_700_000_000_000)];
      const shares = (track: string) => {
        const some = ended.filter((e) => e.track === track);
        const of = (counts: (e: (typeof some)[number]) => boolean) => some.filter(counts).length / some.length;
        return { bad: of((e) => e.end !== 'succeeded'), lost: of((e) => e.end === 'lost'), dead: of((e) => e.dead) };
      };
      const [canary, stable] = [shares('canary'), shares('stable')];
      expect(Math.abs(canary.bad - stable.bad)).toBeLessThan(0.015);
      const [more, same] = name === 'loses' ? (['lost', 'dead'] as const) : (['dead', 'lost'] as const);
      expect(canary[more] - stable[more]).toBeGreaterThan(0.06);
      expect(Math.abs(canary[same] - stable[same])).toBeLessThan(0.015);
    }
  });
});

describe('the report', () => {
  it('misses a claim that the figures do not bear out, or that nothing was counted for', () => {
    expect(upperBound(0, 2_000)).toBeLessThan(0.002);
    expect(upperBound(100, 2_000)).toBeGreaterThan(0.05);
    const tally = (scenario: ScenarioName, unhealthy: number, healthy: number): Tally => ({ ...emptyTally(scenario), rollouts: 1_000, unhealthy, healthy, foretold: [0.1, 1, 9] });
    const failures = (tallies: readonly Tally[]) => failuresOf({ claims: claimsOf(tallies), foretold: foretoldOf(tallies) });
    const fine = SCENARIO_NAMES.map((name) => (['good', 'long', 'wide'].includes(name) ? tally(name, 20, 500) : tally(name, 990, 20)));
    expect(failures(fine)).toEqual([]);
    for (const name of SCENARIO_NAMES.filter((n) => n !== 'well')) {
      const wrong = ['margin', 'drags'].includes(name) ? tally(name, 990, 60) : tally(name, ['good', 'long', 'wide'].includes(name) ? 60 : 890, 20);
      expect(failures(fine.with(SCENARIO_NAMES.indexOf(name), wrong))).toHaveLength(1);
    }
    for (const foretold of [[], [0.1, 0.4, 9], [1, 2.1, 9]]) {
      expect(failures(fine.with(SCENARIO_NAMES.indexOf('well'), { ...tally('well', 0, 990), foretold }))).toHaveLength(1);
    }
    expect(failures([])).toHaveLength(SCENARIO_NAMES.length);
  });

  it('holds what was said to be needed against what was, by the first look above the minimum', () => {
    const verdict = (reason: string, canary: number, needed: number) => ({ verdict: { verdict: reason === 'not_worse' ? 'healthy' : 'inconclusive', reasons: [reason], samples: { canary }, needed: { canary: needed } }, zTest: 'open' }) as unknown as Look;
    const tally = emptyTally('well');
    count(tally, [verdict('below_minimum_sample', 10, 10), verdict('more_samples_needed', 100, 500), verdict('more_samples_needed', 200, 90), verdict('not_worse', 300, 0), verdict('not_worse', 400, 0)]);
    count(tally, [verdict('more_samples_needed', 100, 500)]);
    expect(tally.foretold).toEqual([2]);
  });
});
