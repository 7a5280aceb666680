import { describe, expect, it } from 'vitest';
import type { Judge, Verdict } from '../judges/judge.js';
import type { Scenario } from '../scenario.js';
import { optionsOf } from './plan.js';
import { add, count, emptyTally, failuresOf } from './tally.js';

const scenario = (truth: Scenario['truth'], blamed: readonly string[] = []): Scenario => ({
  ...{ name: `training/${truth}/0`, truth, shape: 'some', blamed, besides: [], log: [], queues: [] },
  ...{ beginMs: 0, wrongMs: 0, askedMs: 0, ended: { succeeded: 0, failed: 0, lost: 0 } },
});
const saying = (verdict: Verdict, names = true): Judge => ({ name: 'rule', names, judge: () => verdict });
const ROLLBACK: Verdict = { cause: 'bad_revision', subject: 'v2', action: 'rollback' };

describe('the tally of a rule', () => {
  it('counts a rollback as false where nothing was wrong with a release, or with another one', () => {
    const tally = emptyTally('rule');
    count(tally, saying(ROLLBACK), scenario('bad_revision', ['v2']));
    expect([tally.right, tally.falseRollbacks.length, failuresOf(tally)]).toEqual([1, 0, []]);
    count(tally, saying(ROLLBACK), scenario('bad_revision', ['v3']));
    count(tally, saying(ROLLBACK), scenario('memory'));
    expect([tally.right, tally.falseRollbacks.length, tally.missedBad.length]).toEqual([1, 2, 1]);
    expect(failuresOf(tally)).toHaveLength(2);
  });

  it('asks of a rule that names nobody only for the cause', () => {
    const tally = emptyTally('rule');
    const poison: Verdict = { cause: 'poison_job', subject: null, action: 'dead-letter' };
    count(tally, saying(poison, false), scenario('poison_job', ['default/q/1']));
    count(tally, saying(poison), scenario('poison_job', ['default/q/1']));
    expect([tally.right, tally.scenarios]).toEqual([1, 2]);
  });

  it('fails below 95 % right, and is the same summed up from parts', () => {
    const [whole, sum] = [emptyTally('rule'), emptyTally('rule')];
    for (let i = 0; i < 20; i += 1) {
      const part = emptyTally('rule');
      const judged = [saying({ cause: i < 19 ? 'memory' : 'race', subject: null, action: 'throttle' }), scenario('memory')] as const;
      count(whole, ...judged);
      count(part, ...judged);
      add(sum, part);
    }
    expect(sum).toEqual(whole);
    expect(failuresOf(whole)).toEqual([]);
    count(whole, saying({ cause: 'race', subject: null, action: 'throttle' }), scenario('memory'));
    expect(failuresOf(whole)).toEqual(['rule: less than 95 % right']);
  });

  it.each(['--seeds all', '--truth bad', '--scenarios 0', '--nothing'])('is not made for %s', (args) => {
    expect(optionsOf(args.split(' '))).toContain('npm run report:causes');
  });
});
