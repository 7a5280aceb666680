import { describe, expect, it } from 'vitest';
import type { Judge, Verdict } from '../judges/judge.js';
import type { Scenario } from '../scenario.js';
import { optionsOf } from './plan.js';
import { add, count, emptyTally, failuresOf } from './tally.js';

const scenario = (truth: Scenario['truth'], blamed: readonly string[] = [], more: Partial<Scenario> = {}): Scenario => ({
  ...{ name: `training/${truth}/0`, truth, shape: 'some', blamed, besides: [], log: [], queues: [] },
  ...{ beginMs: 0, wrongMs: 0, askedMs: 0, ended: { succeeded: 0, failed: 0, lost: 0 } },
  ...{ also: null, releasedMs: null, selfSustained: true, ...more },
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

  it('counts poison jobs that came within a minute of a deploy, and fails where there are none of them', () => {
    const tally = emptyTally('rule');
    const poison = saying({ cause: 'poison_job', subject: 'default/q/1', action: 'dead-letter' });
    for (let i = 0; i < 40; i += 1) count(tally, poison, scenario('poison_job', ['default/q/1'], { wrongMs: 90_000, releasedMs: 20_000 }));
    expect([tally.poisonAfterDeploy.all, failuresOf(tally)]).toEqual([0, ['no poison job came within a minute of a deploy']]);
    count(tally, poison, scenario('poison_job', ['default/q/1'], { wrongMs: 90_000, releasedMs: 30_000 }));
    count(tally, saying(ROLLBACK), scenario('poison_job', ['default/q/1'], { wrongMs: 90_000, releasedMs: 90_000 }));
    count(tally, poison, scenario('poison_job', ['default/q/1'], { wrongMs: 90_000, releasedMs: 90_001 }));
    expect(tally.poisonAfterDeploy).toEqual({ all: 2, right: 1, rollbacks: 1 });
  });

  it('says how often it was seen that it goes on by itself, and that it does not', () => {
    const tally = emptyTally('rule');
    for (const [said, is] of [[true, true], [true, true], [false, true], [true, false], [false, false]] as const) {
      count(tally, saying({ cause: 'memory', subject: null, action: 'throttle', selfSustained: said }), scenario('memory', [], { selfSustained: is }));
    }
    expect(tally.selfSustained).toEqual({ are: 3, saidAre: 2, areNot: 2, saidAreNot: 1 });
  });

  it('counts two causes at once apart: the greater one named, or the other, and a rollback of neither', () => {
    const [tally, whole] = [emptyTally('rule'), emptyTally('rule')];
    const two = (truth: Scenario['truth'], also: Scenario['truth'], blamed: readonly string[] = []) => scenario(truth, blamed, { also });
    count(tally, saying(ROLLBACK), two('memory', 'bad_revision', ['v2']));
    count(tally, saying(ROLLBACK), two('bad_revision', 'memory', ['v2']));
    count(tally, saying({ cause: 'race', subject: null, action: 'throttle' }), two('bad_revision', 'memory', ['v2']));
    expect([failuresOf(tally), tally.scenarios]).toEqual([[], 0]);
    count(tally, saying(ROLLBACK), two('bad_revision', 'memory', ['v3']));
    count(tally, saying(ROLLBACK), two('poison_job', 'memory', ['default/q/1']));
    add(whole, tally);
    expect(whole.two).toMatchObject({ all: 5, greater: 1, other: 1, rollbacks: 4, needless: [{}, {}] });
    expect(failuresOf(whole)).toEqual(['rule: 2 needless rollbacks where two things were wrong']);
  });

  it.each(['--seeds all', '--truth bad', '--scenarios 0', '--nothing'])('is not made for %s', (args) => {
    expect(optionsOf(args.split(' '))).toContain('npm run report:causes');
  });
});
