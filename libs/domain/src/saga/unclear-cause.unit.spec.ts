import { describe, expect, it } from 'vitest';
import { looksFor } from './looks-for.js';
import { phaseOf } from './phase-of.js';
import { cause, RunWorld } from './run.fixture.js';

const last = (world: RunWorld) => world.steps.at(-1);
const looksOf = (world: RunWorld) => world.steps.filter((step) => step.type === 'cause-assessed').map(({ atMs }) => atMs);

describe('a release that is likely to blame, and not sure enough to be rolled back', () => {
  it('is looked at again as more comes in, and rolled back once it is sure', () => {
    const world = new RunWorld();
    world.assessed = cause({ confidence: 0.78, action: 'escalate' });
    world.run({ until: (w) => w.types.includes('cause-assessed') });
    expect([phaseOf(world.standing).phase, looksFor(world.standing).cause]).toEqual(['assessing', true]);
    world.pass(1_000);
    world.assessed = cause();
    expect(world.run()).toBe('over');
    const [first = 0, ...others] = looksOf(world);
    expect(others).toEqual([first + 20_000]);
    expect(world.types).toContain('rolled-back');
  });

  it.each([
    ['stays so, after three looks', true, 3],
    ['stays so when the signal is over', false, 1],
  ])('is a person’s when it %s, and nothing is done', (_what, signalStands, looks) => {
    const world = new RunWorld();
    world.assessed = cause({ confidence: 0.78, action: 'escalate' });
    world.signalStands = signalStands;
    expect(world.run()).toBe('rest');
    expect(looksOf(world)).toHaveLength(looks);
    expect(last(world)).toMatchObject({ type: 'escalated', reason: 'a bad revision is likely, and not sure enough to be acted on', evidence: { code: 'cause_needs_person' } });
    expect([world.writes.length, world.refused.size, world.percent]).toEqual([0, 0, null]);
    world.assessed = cause();
    world.says('approved');
    expect(world.run()).toBe('over');
    expect(world.types).toContain('rolled-back');
  });
});
