import { describe, expect, it } from 'vitest';
import { release } from '../rollout/workload.fixture.js';
import { RunWorld } from './run.fixture.js';

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
