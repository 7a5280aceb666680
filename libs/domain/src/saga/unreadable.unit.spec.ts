import { describe, expect, it } from 'vitest';
import type { IncidentStepType } from '../incident/step-types.js';
import { MAX_STEPS } from '../incident/incident.js';
import { phaseOf } from './phase-of.js';
import { fails, RunWorld } from './run.fixture.js';
import { runOf, sagaOf } from './saga-of.js';

const last = (world: RunWorld) => world.steps.at(-1);
const LEFT_OUT = { leftOut: '20000 characters of evidence' };

/** What stood in its last step of this type is lost. */
function loses(world: RunWorld, type: IncidentStepType, evidence: Record<string, unknown> = LEFT_OUT): void {
  const at = world.steps.findLastIndex((step) => step.type === type);
  world.steps[at] = { ...world.steps[at]!, evidence };
}

describe('a run with a step that cannot be read', () => {
  it.each(['cause-assessed', 'evidence-captured', 'rollback-begun', 'readmitting'] as const)('`%s` is a person’s, told once, and nothing more is written', (type) => {
    const world = new RunWorld();
    world.run({ until: (w) => w.types.includes(type) });
    loses(world, type);
    const writes = world.writes.length;
    expect(world.run()).toBe('rest');
    expect(last(world)).toMatchObject({ type: 'escalated', evidence: { code: 'unreadable_step' } });
    expect(last(world)?.reason).toContain(`\`${type}\``);
    expect(world.types.filter((one) => one === 'escalated')).toHaveLength(1);
    expect(world.writes).toHaveLength(writes);
    expect(phaseOf(world.standing)).toEqual({ phase: 'escalated', waitsFor: 'a person: resolve or abort it', untilMs: null });
  });

  it('gives back what it took away, and winds up when a person aborts it', () => {
    const world = new RunWorld({}, { scaleToZero: true });
    world.run({ until: (w) => w.types.includes('isolated') });
    expect(world.workload.wanted).toBe(0);
    loses(world, 'evidence-captured');
    expect(world.run()).toBe('rest');
    expect(world.workload.wanted).toBe(3);
    world.says('aborted');
    expect(world.run()).toBe('over');
    expect(world.percent).toBeNull();
  });

  it('does nothing of it while the stop switch is off', () => {
    const world = new RunWorld();
    world.run({ until: (w) => w.types.includes('cause-assessed') });
    loses(world, 'cause-assessed');
    world.actionsOn = false;
    world.run({ forMs: 60_000 });
    expect(world.types).toEqual(['opened', 'cause-assessed', 'noted']);
    world.actionsOn = true;
    expect(world.run()).toBe('rest');
    expect(last(world)?.evidence).toMatchObject({ code: 'unreadable_step' });
  });

  it('that is its first one is a run all the same, and no other incident is one', () => {
    const world = new RunWorld();
    loses(world, 'opened');
    expect(sagaOf(world.steps)).toBeNull();
    expect(runOf(world.steps)).toMatchObject({ unreadable: { n: 1, type: 'opened' }, about: { target: null, queueCount: 0 } });
    const written = new RunWorld();
    written.run({ until: (w) => w.types.includes('rolled-back') });
    const target = sagaOf(written.steps)?.snapshot?.target;
    expect(target).toBeTypeOf('string');
    loses(written, 'opened');
    expect(runOf(written.steps)?.about.target).toBe(target);
    expect(runOf([])).toBeNull();
    expect(runOf(new RunWorld().steps)).toEqual(sagaOf(new RunWorld().steps));
  });

  it.each([
    [{ intends: 7 }],
    [{ intends: 'roll-back', snapshot: {} }],
    [{ fault: { n: 3 } }],
    [{ zeroLook: { pods: 'none' } }],
  ])('may be a note: %j', (evidence) => {
    const world = new RunWorld();
    world.record({ type: 'noted', by: 'jobwarden', reason: 'r', evidence });
    expect(world.standing.unreadable).toEqual({ n: 2, type: 'noted' });
  });

  it('is none of those that people and other programs add', () => {
    const world = new RunWorld();
    world.record({ type: 'noted', by: 'ada', reason: 'I have looked', evidence: { ...LEFT_OUT, ticket: 7 } });
    world.record({ type: 'noted', by: 'ada', reason: 'and again' });
    expect(world.standing.unreadable).toBeNull();
  });
});

describe('a run that has taken as many steps as an incident may have', () => {
  it('is a person’s, and does not go round for ever', () => {
    const world = new RunWorld({}, { scaleToZero: true });
    world.run({ until: (w) => w.types.includes('rollback-begun') });
    // A switch that is thrown to and fro, and a target that is there and is not.
    for (let i = 0; i < MAX_STEPS && world.standing.escalated === null; i += 1) {
      world.actionsOn = i % 2 === 0;
      world.fault = (at) => (at === 'look' && i % 4 < 2 ? fails('unreachable') : null);
      world.run({ forMs: 1_000 });
    }
    world.actionsOn = true;
    world.fault = () => null;
    expect(world.run()).toBe('rest');
    expect(last(world)).toMatchObject({ type: 'escalated', evidence: { code: 'too_many_steps' } });
    expect(world.workload.wanted).toBe(3);
    expect(world.steps.length).toBeLessThanOrEqual(MAX_STEPS + 1);
    for (let i = 0; i < 12; i += 1) {
      world.says('approved');
      expect(world.run()).toBe('rest');
    }
    expect(last(world)).toMatchObject({ type: 'escalated', evidence: { code: 'too_many_steps' } });
  });
});
