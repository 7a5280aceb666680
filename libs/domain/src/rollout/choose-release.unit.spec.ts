import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseRelease, type ReleaseFacts } from './choose-release.js';
import { release, seenOf } from './workload.fixture.js';
import type { WorkloadSeen } from './workload.js';

const facts = (more: Partial<ReleaseFacts> = {}): ReleaseFacts => ({ bad: ['v2'], healthy: ['v1'], schemaVersion: null, ...more });
const refusal = (seen: WorkloadSeen, more: Partial<ReleaseFacts> = {}) => {
  const choice = chooseRelease(seen, facts(more));
  return 'refused' in choice ? choice.refused : choice.release.revision;
};

describe('the release to go back to', () => {
  it('is the one that proved healthy, not the one before', () => {
    const seen = seenOf({ releases: [release('v2'), release('v1b'), release('v1')] });
    expect(chooseRelease(seen, facts())).toEqual({ release: release('v1'), passedOver: [] });
  });

  it('is the best of those that proved healthy and are still there', () => {
    const seen = seenOf({ releases: [release('v2'), release('v1'), release('v0')] });
    expect(refusal(seen, { healthy: ['v9', 'v0', 'v1'] })).toBe('v0');
  });

  it('is, of two releases of one revision, the one that was wished for last', () => {
    const seen = seenOf({ releases: [release('v2'), release('v1', { id: 'newer' }), release('v1', { id: 'older' })] });
    expect(chooseRelease(seen, facts())).toMatchObject({ release: { id: 'newer' } });
  });
});

describe('nothing is rolled back', () => {
  it('where what runs is not to blame, also once the rollback stands', () => {
    expect(refusal(seenOf({ revision: 'v1', releaseId: 'workers-v1' }))).toBe('already_stable');
    expect(refusal(seenOf({ revision: 'v3' }))).toBe('already_stable');
  });

  it('where no older release is kept', () => {
    const choice = chooseRelease(seenOf({ releases: [release('v2')] }), facts());
    expect(choice).toEqual({ refused: 'no_stable_revision', why: 'shop/workers keeps no older release (revisionHistoryLimit)' });
  });

  it('where the previous release is bad too: no flip between two bad ones', () => {
    expect(refusal(seenOf(), { bad: ['v2', 'v1'] })).toBe('no_stable_revision');
    const choice = chooseRelease(seenOf(), facts({ bad: ['v2', 'v1'] }));
    expect(choice).toMatchObject({ why: 'shop/workers keeps v1 (bad); no other revision proved healthy' });
  });

  it('where no release proved healthy', () => {
    expect(refusal(seenOf(), { healthy: [] })).toBe('no_stable_revision');
    expect(refusal(seenOf({ releases: [release('v2'), release(null)] }))).toBe('no_stable_revision');
  });

  it('to a second release of the bad revision', () => {
    const seen = seenOf({ releases: [release('v2'), release('v2', { id: 'other' })] });
    expect(refusal(seen, { healthy: ['v2'] })).toBe('no_stable_revision');
  });

  it('where the wish would not be carried out, or names no revision', () => {
    expect(refusal(seenOf({ paused: true }))).toBe('paused');
    expect(refusal(seenOf({ revision: null }))).toBe('unknown_revision');
  });
});

describe('a release that says which schema it needs', () => {
  const v1 = release('v1', { schema: '<=38' });
  const seen = seenOf({ releases: [release('v2'), v1, release('v0', { schema: '>=30' })] });

  it('has to fit what the object says and what each database says, while one of them lags behind', () => {
    const among = (written: string | null, ...versions: readonly string[]) => refusal({ ...seen, schemaVersion: written }, { databases: versions.map((version) => ({ version })) });
    expect(among(null, '38')).toBe('v1');
    expect(among('38', '38', '38')).toBe('v1');
    expect(among('38', '39')).toBe('schema_too_old');
    expect(among('39', '38')).toBe('schema_too_old');
    expect(among('38', '38', '39')).toBe('schema_too_old');
  });

  it('is refused where a database does not say, whatever the object says', () => {
    const why = 'SHOP_DATABASE_URL is not set';
    expect(chooseRelease({ ...seen, schemaVersion: '38' }, facts({ databases: [{ version: '38' }, { unknown: why }] }))).toEqual({
      refused: 'schema_unknown',
      why: `v1 needs a schema <=38, and ${why}`,
    });
    expect(refusal(seenOf({ releases: [release('v2'), release('v1')] }), { databases: [{ unknown: why }] })).toBe('v1');
  });

  it('is taken where the schema fits', () => {
    expect(refusal(seen, { schemaVersion: '38' })).toBe('v1');
  });

  it('goes by the version that is written on the object, unless the caller knows better', () => {
    expect(refusal({ ...seen, schemaVersion: '39' })).toBe('schema_too_old');
    expect(refusal({ ...seen, schemaVersion: '39' }, { schemaVersion: '38' })).toBe('v1');
  });

  it('is passed over for the next that fits, and that is told', () => {
    const choice = chooseRelease(seen, facts({ healthy: ['v1', 'v0'], schemaVersion: '39' }));
    expect(choice).toMatchObject({ release: { revision: 'v0' }, passedOver: ['v1 needs a schema <=38, the database is at 39'] });
  });

  it('is refused where it is the only one', () => {
    expect(chooseRelease(seen, facts({ schemaVersion: '39' }))).toEqual({
      refused: 'schema_too_old',
      why: 'v1 needs a schema <=38, the database is at 39',
    });
  });

  it('is refused where the version is unknown or unreadable', () => {
    expect(refusal(seen)).toBe('schema_unknown');
    expect(refusal(seenOf({ releases: [release('v2'), release('v1', { schema: 'latest' })] }), { schemaVersion: '39' })).toBe('schema_unknown');
  });
});

describe('whatever is seen and known', () => {
  const revision = fc.constantFrom('v0', 'v1', 'v2', 'v3');
  const anySeen = fc
    .record({ revision: fc.option(revision), paused: fc.boolean(), names: fc.array(fc.option(revision), { maxLength: 5 }) })
    .map(({ names, ...rest }) => seenOf({ ...rest, releases: names.map((name, i) => release(name, { id: `r${String(i)}`, schema: '<=38' })), releaseId: 'r0' }));
  const anyFacts = fc.record({
    bad: fc.uniqueArray(revision, { minLength: 1 }),
    healthy: fc.uniqueArray(revision),
    schemaVersion: fc.option(fc.constantFrom('38', '39')),
  });

  it('what is chosen proved healthy, is not bad, is not what runs, and fits', () => {
    fc.assert(
      fc.property(anySeen, anyFacts, (seen, known) => {
        const choice = chooseRelease(seen, known);
        if ('refused' in choice) return;
        expect(known.healthy).toContain(choice.release.revision);
        expect(known.bad).not.toContain(choice.release.revision);
        expect(choice.release.id).not.toBe(seen.releaseId);
        expect(known.schemaVersion).toBe('38');
      }),
    );
  });

  it('choosing again once it runs chooses nothing: repeating brings no bad revision back', () => {
    fc.assert(
      fc.property(anySeen, anyFacts, (seen, known) => {
        const choice = chooseRelease(seen, known);
        if ('refused' in choice) return;
        const after = { ...seen, revision: choice.release.revision, releaseId: choice.release.id };
        expect(chooseRelease(after, known)).toMatchObject({ refused: 'already_stable' });
      }),
    );
  });
});
