import { describe, expect, it } from 'vitest';
import { release } from '../rollout/workload.fixture.js';
import { LOOK_WITHIN_MS } from './deadlines.js';
import { RunWorld } from './run.fixture.js';
import type { RunAbout } from './step-evidence.js';
import type { RunPolicy } from './run-policy.js';

describe('a run whose releases say which schema they can work with', () => {
  it('passes over a healthy release that cannot work with the schema of now, before anything is written, and takes the next that can', () => {
    const world = new RunWorld();
    const releases = [release('v2'), release('v1', { schema: '<=38' }), release('v0', { schema: '>=30' })];
    world.workload = { ...world.workload, releases, schemaVersion: '39' };
    world.healthy = ['v1', 'v0'];
    expect(world.run()).toBe('over');
    const begun = world.steps.find(({ type }) => type === 'rollback-begun');
    expect(begun?.evidence).toMatchObject({ release: { revision: 'v0' }, passedOver: ['v1 needs a schema <=38, the database is at 39'] });
    expect([world.workload.revision, world.writes.length]).toEqual(['v0', 1]);
  });

  it.each([
    ['39', 'schema_too_old'],
    [null, 'schema_unknown'],
  ])('escalates where no healthy release fits the schema %s, with nothing written and the revision refused', (schemaVersion, code) => {
    const world = new RunWorld();
    world.workload = { ...world.workload, releases: [release('v2'), release('v1', { schema: '<=38' }), release('v0', { schema: '<38' })], schemaVersion };
    world.healthy = ['v1', 'v0'];
    expect(world.run()).toBe('rest');
    expect(world.standing.escalated?.code).toBe(code);
    expect([world.types.includes('rollback-begun'), world.writes, world.workload.revision, [...world.refused]]).toEqual([false, [], 'v2', ['v2']]);
  });
});

const AWAY = { unknown: 'the database of SHOP could not be asked: it starts', passing: true } as const;

/** Its healthy release works with a schema up to 38; the database says so, or why it does not. */
function asking(databases: RunWorld['databases'], about: Partial<RunAbout> = {}, policy: Partial<RunPolicy> = {}): RunWorld {
  const world = new RunWorld(about, policy);
  world.workload = { ...world.workload, releases: [release('v2'), release('v1', { schema: '<=38' })] };
  world.databases = databases;
  return world;
}

describe('a run whose database is asked for its schema', () => {
  it.each([false, true])('waits for one that may answer soon, and goes on with its answer (scaled to 0: %s)', (scaleToZero) => {
    const world = asking(() => [AWAY], {}, { scaleToZero });
    const waits = (w: RunWorld) => w.standing.lookFault !== null;
    expect(world.run({ until: waits })).toBe('reached');
    expect([world.standing.lookFault?.code, world.writes]).toEqual(['schema_unknown', []]);
    const sinceMs = world.nowMs;
    expect(world.run({ until: (w) => w.nowMs > sinceMs + LOOK_WITHIN_MS / 2 })).toBe('reached');
    expect([world.standing.escalated, world.writes]).toEqual([null, []]);
    world.databases = () => [{ version: '38' }];
    expect(world.run()).toBe('over');
    expect(world.workload.revision).toBe('v1');
    expect(world.steps.filter(({ evidence }) => evidence?.['lookFault'] === 'schema_unknown')).toHaveLength(1);
  });

  it.each([false, true])('escalates one that stays away for a minute, with the reason (scaled to 0: %s)', (scaleToZero) => {
    const world = asking(() => [AWAY], {}, { scaleToZero });
    let sinceMs = 0;
    world.run({ until: (w) => (sinceMs = w.standing.lookFault?.sinceMs ?? 0) > 0 });
    expect(world.run()).toBe('rest');
    expect([world.standing.escalated?.code, world.nowMs - sinceMs, world.writes]).toEqual(['schema_unknown', LOOK_WITHIN_MS, []]);
    expect(world.steps.at(-1)?.reason).toContain(AWAY.unknown);
  });

  it('escalates at once where asking again would not help, one of several included', () => {
    const world = asking(() => [AWAY, { unknown: 'the query of MAIL answered null' }]);
    expect(world.run()).toBe('rest');
    expect([world.standing.escalated?.code, world.types.includes('noted'), world.steps.some(({ evidence }) => evidence?.['lookFault'] !== undefined)]).toEqual(['schema_unknown', true, false]);
  });

  it('by hand is not refused for it: nothing is known against it yet', () => {
    const world = asking(() => [AWAY], { source: 'person', revision: 'v2' });
    expect(world.run({ until: (w) => w.refused.size > 0 })).toBe('reached');
  });

  it('says as a dry run that it would roll back, if the database answers by then', () => {
    const world = asking(() => [AWAY], { source: 'person', revision: 'v2', dryRun: true });
    world.run();
    const told = world.steps.find(({ type }) => type === 'would-have')?.evidence?.['plan'] as string[];
    expect(told.at(-1)).toBe(`roll shop/workers back, if its schema is known by then: v1 needs a schema <=38, and ${AWAY.unknown}`);
  });

  it('asks no more once a release is chosen', () => {
    const world = asking(() => [{ version: '38' }]);
    world.run({ until: (w) => w.types.includes('rollback-begun') });
    const { asked, looked } = world;
    expect(world.run()).toBe('over');
    expect([world.asked - asked, world.looked > looked]).toEqual([0, true]);
  });

  it.each<[string, Partial<RunAbout>]>([
    ['of its own', {}],
    ['by hand', { source: 'person' }],
  ])('%s that waits for an approval looks once, for the plan', (_who, about) => {
    const world = asking(() => [{ version: '38' }], about, { approval: true });
    world.run({ until: (w) => w.types.includes('approval-requested') });
    const { looked } = world;
    world.run({ forMs: 60_000 });
    expect([looked, world.looked, world.asked]).toEqual([1, 1, 1]);
    world.says('approved');
    expect(world.run()).toBe('over');
  });
});
