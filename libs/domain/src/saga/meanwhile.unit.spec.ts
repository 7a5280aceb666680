import { describe, expect, it } from 'vitest';
import { cause, POLICY, RunWorld } from './run.fixture.js';

const until = (type: string) => ({ until: (world: RunWorld) => world.types.includes(type) });
const code = (world: RunWorld) => world.standing.escalated?.code;

describe('a policy that changes while a run goes on', () => {
  it.each([
    ['lowered to observe', { levels: { ...POLICY.levels, rollback: 'observe' as const } }],
    ['lowered to approve', { levels: { ...POLICY.levels, rollback: 'approve' as const } }],
    ['asking for an approval', { approval: true }],
  ])('%s before the target was written to: a person decides, and may let it go on', (_what, changes) => {
    const world = new RunWorld();
    world.run(until('isolated'));
    world.policy = { ...world.policy, ...changes };
    expect([world.run(), code(world), world.writes]).toEqual(['rest', 'level_lowered', []]);
    world.says('approved');
    expect([world.run(), world.workload.revision]).toEqual(['over', 'v1']);
  });

  it('lowered once the target has the release: what is begun is brought to its end', () => {
    const world = new RunWorld();
    world.run(until('rolled-back'));
    world.policy = { ...world.policy, levels: { throttle: 'observe', rollback: 'observe', deadLetter: 'observe' } };
    expect([world.run(), world.percent]).toEqual(['over', null]);
  });

  it('lowered while the pool is held at zero: it has its replicas again', () => {
    const world = new RunWorld({}, { scaleToZero: true });
    world.run({ until: (w) => w.standing.zero !== null });
    world.policy = { ...world.policy, levels: { ...POLICY.levels, rollback: 'observe' } };
    expect([world.run(), code(world), world.workload.wanted, world.workload.revision]).toEqual(['rest', 'level_lowered', 3, 'v2']);
  });

  it('that lowers dead letters, or the throttle, stops those', () => {
    const poison = new RunWorld();
    poison.assessed = cause({ cause: 'poison_job', subject: 'shop/mails/j', action: 'dead-letter' });
    poison.run(until('intake-throttled'));
    poison.policy = { ...poison.policy, levels: { ...POLICY.levels, deadLetter: 'observe' } };
    expect([poison.run(), code(poison), poison.deadLettered]).toEqual(['rest', 'level_lowered', []]);
    const outage = new RunWorld();
    outage.assessed = cause({ cause: 'downstream_outage', subject: 'smtp', action: 'throttle' });
    outage.run(until('cause-assessed'));
    outage.policy = { ...outage.policy, levels: { ...POLICY.levels, throttle: 'observe' } };
    expect([outage.run(), code(outage), outage.percent]).toEqual(['rest', 'level_lowered', null]);
  });

  it('that names the target no more: it is not touched, whoever has asked for it', () => {
    const world = new RunWorld({ source: 'person', revision: 'v2' });
    world.run(until('isolated'));
    world.policy = { ...world.policy, targets: [] };
    expect([world.run(), code(world), world.writes]).toEqual(['rest', 'target_removed', []]);
  });

  it('has nothing to say of what a person has approved', () => {
    const world = new RunWorld({}, { approval: true });
    world.run(until('approval-requested'));
    world.policy = { ...world.policy, levels: { ...POLICY.levels, rollback: 'observe' } };
    world.says('approved');
    expect([world.run(), world.workload.revision]).toEqual(['over', 'v1']);
  });
});

describe('the stop switch', () => {
  it('off for hours while a pool is held at zero takes none of its time: it goes on from there', () => {
    const world = new RunWorld({}, { scaleToZero: true });
    world.run({ until: (w) => w.standing.zero !== null });
    world.actionsOn = false;
    world.run({ forMs: 7_200_000 });
    world.actionsOn = true;
    expect([world.run(), world.workload.revision, world.workload.wanted]).toEqual(['over', 'v1', 3]);
  });
});

describe('a revision that a person has refused already, for more than the run is about', () => {
  it('is refused by the run as well, which the end of the other leaves as it is', () => {
    const world = new RunWorld();
    world.refused.add('v2');
    const acts: string[] = [];
    world.fault = (what) => {
      acts.push(what);
      return null;
    };
    expect(world.run()).toBe('over');
    expect(acts.filter((what) => what === 'quarantine')).toHaveLength(1);
  });
});

describe('a person who lets a run look again for its cause', () => {
  it('is asked before what is found then is done', () => {
    const world = new RunWorld({}, { approval: true });
    world.assessed = cause({ cause: 'unknown', subject: null, action: 'escalate' });
    expect([world.run(), code(world)]).toEqual(['rest', 'cause_unknown']);
    world.assessed = cause();
    world.says('approved');
    world.run(until('approval-requested'));
    expect([world.types.at(-1), world.refused.size, world.writes]).toEqual(['approval-requested', 0, []]);
    world.says('approved');
    expect([world.run(), world.workload.revision]).toEqual(['over', 'v1']);
  });
});
