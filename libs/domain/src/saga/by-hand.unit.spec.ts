import { describe, expect, it } from 'vitest';
import { release } from '../rollout/workload.fixture.js';
import { hasActed } from './has-acted.js';
import { fails, RunWorld } from './run.fixture.js';
import type { RunAbout } from './step-evidence.js';

const BY_HAND: Partial<RunAbout> = { source: 'person', revision: 'v2' };
const OF_ITSELF: Partial<RunAbout> = {};

/** What a look tells of the target before anything is done, and the code that it leads to. */
const AGAINST: readonly (readonly [string, string, (world: RunWorld) => void])[] = [
  ['is not there', 'not_found', (w) => (w.fault = (at) => (at === 'look' ? fails('not_found') : null))],
  ['may not be looked at', 'forbidden', (w) => (w.fault = (at) => (at === 'look' ? fails('forbidden') : null))],
  ['keeps nothing that proved healthy', 'no_stable_revision', (w) => (w.healthy = [])],
  ['is paused', 'paused', (w) => (w.workload = { ...w.workload, paused: true })],
  ['keeps nothing that fits the schema', 'schema_too_old', (w) => (w.workload = { ...w.workload, schemaVersion: '39', releases: [release('v2'), release('v1', { schema: '<=38' })] })],
  ['names no revision', 'unknown_revision', (w) => (w.workload = { ...w.workload, revision: null })],
  ['runs another revision', 'already_stable', (w) => (w.workload = { ...w.workload, revision: 'v1', releaseId: 'workers-v1' })],
  ['is scaled to 0', 'scaled_to_zero', (w) => (w.workload = { ...w.workload, wanted: 0 })],
];

describe('a rollback by hand', () => {
  it.each(AGAINST)('of a target that %s is refused as %s before anything is done', (_what, code, begins) => {
    const world = new RunWorld(BY_HAND);
    begins(world);
    expect(world.run()).toBe('rest');
    expect(world.types).toEqual(['opened', 'cause-assessed', 'escalated']);
    expect(world.steps.at(-1)?.reason).toMatch(/^nothing was done: (shop\/workers |v1 needs a schema ).+; an approval lets v2 be refused all the same$/u);
    expect([world.standing.escalated?.code, world.writes.length, world.refused.size, world.percent, world.tries.size, hasActed(world.steps)]).toEqual([code, 0, 0, null, 0, false]);
  });

  it('that is refused isolates all the same once a person lets it go on', () => {
    const world = new RunWorld(BY_HAND);
    world.healthy = [];
    world.run();
    world.says('approved');
    world.run();
    expect([[...world.refused], world.standing.escalated?.code, hasActed(world.steps)]).toEqual([['v2'], 'no_stable_revision', true]);
  });

  it('that is refused goes on to the end once what was in its way is gone', () => {
    const world = new RunWorld(BY_HAND);
    world.workload = { ...world.workload, paused: true };
    world.run();
    world.workload = { ...world.workload, paused: false };
    world.says('approved');
    expect(world.run()).toBe('over');
    expect(world.workload.revision).toBe('v1');
  });

  it('of a target that cannot be reached just now isolates meanwhile: nothing is known against it', () => {
    const world = new RunWorld(BY_HAND);
    world.fault = (at) => (at === 'look' ? fails('unreachable') : null);
    world.run();
    expect([[...world.refused], world.standing.escalated?.code, hasActed(world.steps)]).toEqual([['v2'], 'unreachable', true]);
  });

  it('for which the log names the revision is looked at first as well, where nobody is asked to approve', () => {
    const world = new RunWorld({ source: 'person' });
    world.healthy = [];
    world.run();
    expect([world.standing.escalated?.code, hasActed(world.steps)]).toEqual(['no_stable_revision', false]);
  });

  it('without a target isolates, which is all that is asked', () => {
    const world = new RunWorld({ ...BY_HAND, target: null });
    expect(world.run()).toBe('over');
    expect(hasActed(world.steps)).toBe(true);
  });

  it('says as a dry run that it would be refused', () => {
    const world = new RunWorld({ ...BY_HAND, dryRun: true });
    world.healthy = [];
    world.run();
    const told = world.steps.find(({ type }) => type === 'would-have')?.evidence?.['plan'];
    expect(told).toEqual([expect.stringMatching(/^do nothing, and ask a person: shop\/workers keeps/u)]);
    expect(hasActed(world.steps)).toBe(false);
  });
});

describe('a run of its own', () => {
  it.each(AGAINST.filter(([, code]) => code !== 'already_stable' && code !== 'scaled_to_zero'))('against a target that %s isolates first', (_what, code, begins) => {
    const world = new RunWorld(OF_ITSELF);
    begins(world);
    expect(world.run()).toBe('rest');
    expect([world.standing.escalated?.code, [...world.refused], hasActed(world.steps)]).toEqual([code, ['v2'], true]);
  });

  it('that only throttles, or has announced a refusal and come no further, has done something; one at observe has not', () => {
    const announced = new RunWorld({}, { levels: { throttle: 'observe', rollback: 'act', deadLetter: 'act' } });
    announced.refusesAfterMs = Infinity;
    announced.run();
    expect([announced.standing.escalated?.code, announced.types.includes('isolated'), announced.types.includes('intake-throttled'), hasActed(announced.steps)]).toEqual(['not_refused_everywhere', false, false, true]);
    const observing = new RunWorld({}, { levels: { throttle: 'observe', rollback: 'observe', deadLetter: 'observe' } });
    observing.run({ forMs: 60_000 });
    expect(hasActed(observing.steps)).toBe(false);
  });
});
