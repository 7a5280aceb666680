import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Incidents, LevelOverrides, WrongActs, withOverrides, type PolicySource } from '#libs/application';
import type { Level, QueuePolicy } from '#libs/domain';
import { PgIncidentStore, PgLevelStore, pgReadModels, QueueIds } from '#libs/postgres';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';

const T0 = 1_700_000_000_000;
const LEASE = 30_000;
const GRANTED = LEASE + 15_000;
const queue = { namespace: 'default', queue: 'q' };
const started = { worker: { id: 'w1' }, leaseMs: LEASE, attempt: 1 };

describe('a wrong act', () => {
  let database: TestDatabase;
  let world: World;
  let levels: LevelOverrides;
  let policies: PolicySource;
  let wrongActs: WrongActs;
  let told: string[];

  beforeEach(async () => {
    database = await createTestDatabase();
    told = [];
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  async function begin(changes: Partial<QueuePolicy> = {}, level: Level = 'act'): Promise<void> {
    const file = fixedPolicies({ idempotent: true, leaseMs: LEASE, ...changes }, level);
    const relay: PolicySource = { version: '1', policyFor: (ref, kind) => policies.policyFor(ref, kind) };
    world = new World(database.url, relay);
    levels = new LevelOverrides(new PgLevelStore(world.database, new QueueIds(world.database)), file);
    policies = withOverrides(file, levels);
    wrongActs = replica();
    await world.startClock(T0);
  }

  function replica(): WrongActs {
    return new WrongActs({
      ...{ store: world.verdicts, policies, overrides: levels },
      incidents: new Incidents(new PgIncidentStore(world.database, new QueueIds(world.database))),
      observer: {
        wrong: ({ jobId }) => told.push(`wrong ${jobId}`),
        fellBack: (_, action) => told.push(`fell back ${action}`),
      },
    });
  }

  async function runAt(ms: number): Promise<void> {
    await world.at(T0 + ms);
    while ((await world.run()).looked > 0);
  }

  /** Lost at `ms` and requeued, and then heard of again. */
  async function wronglyRequeued(job: string, ms = 0): Promise<void> {
    await world.at(T0 + ms);
    await world.send({ type: 'queued', job }, { type: 'started', job, ...started });
    await runAt(ms + LEASE);
    await runAt(ms + GRANTED);
    await world.send({ type: 'heartbeat', job, ...started });
  }

  const incidents = async () =>
    (await pgReadModels(world.database).incidents.list({ namespaces: 'all' }, { limit: 10, after: null })).items;
  const levelOf = (action: 'requeue' | 'retry' | 'deadLetter') => policies.policyFor(queue, null).levels[action];

  it('takes its action back to observe, says so, and leaves the others as they are', async () => {
    await begin();
    await wronglyRequeued('a');
    expect(levelOf('requeue')).toBe('act');
    await wrongActs.step();
    expect(['requeue', 'retry', 'deadLetter'].map((a) => levelOf(a as 'requeue'))).toEqual(['observe', 'act', 'act']);
    expect(levels.of(queue)).toMatchObject([{ action: 'requeue', level: 'observe', fileLevel: 'act', by: 'jobwarden' }]);
    expect(await incidents()).toMatchObject([{ kind: 'wrong_act', subject: 'requeue', queue, status: 'open' }]);
    expect((await incidents())[0]?.summary).toContain('attempt 1 of a was given up as lost');
    expect(told).toEqual(['fell back requeue', 'wrong a']);
    await wrongActs.step();
    expect(told).toHaveLength(2);
    // What is lost from now on is only shown.
    await world.send({ type: 'queued', job: 'b' }, { type: 'started', job: 'b', ...started });
    await runAt(GRANTED + LEASE);
    expect(await world.job('b')).toMatchObject({ status: 'processing', n: 0 });
  });

  it('falls back once for many of them, whichever replica sees them', async () => {
    await begin();
    await wronglyRequeued('a');
    await wronglyRequeued('b', GRANTED);
    await Promise.all([wrongActs.step(), replica().step()]);
    expect(told.filter((t) => t.startsWith('wrong')).sort()).toEqual(['wrong a', 'wrong b']);
    expect(await incidents()).toHaveLength(1);
    expect(levelOf('requeue')).toBe('observe');
  });

  it('does nothing to a level that an operator has set since: he knew', async () => {
    await begin();
    await wronglyRequeued('a');
    await wrongActs.step();
    await world.at(T0 + GRANTED + 1_000);
    await world.send({ type: 'queued', job: 'old' }, { type: 'started', job: 'old', ...started });
    await levels.set(queue, { action: 'requeue', level: 'act', reason: 'the lease is longer now', by: 'ann' });
    await wrongActs.levelSet(queue, 'requeue', { reason: 'the lease is longer now', by: 'ann' });
    expect(await incidents()).toMatchObject([{ status: 'resolved' }]);
    expect(levelOf('requeue')).toBe('act');
    // Another sign of the attempt that was wrong already says nothing new.
    await world.send({ type: 'heartbeat', job: 'a', ...started });
    await wrongActs.step();
    expect(levelOf('requeue')).toBe('act');
    await wronglyRequeued('c', GRANTED + 2_000);
    await wrongActs.step();
    expect(levelOf('requeue')).toBe('observe');
    expect(await incidents()).toMatchObject([{ status: 'open' }, { status: 'resolved' }]);
  });

  it('is told of all the same where the policy says that nothing falls back', async () => {
    await begin({ fallback: false });
    await wronglyRequeued('a');
    await wrongActs.step();
    expect(levelOf('requeue')).toBe('act');
    expect(await incidents()).toMatchObject([{ kind: 'wrong_act', status: 'open' }]);
    expect(told).toEqual(['wrong a']);
  });

  it('of a dead letter takes dead letters back', async () => {
    await begin({ maxRetries: 0 });
    await wronglyRequeued('a');
    await wrongActs.step();
    expect([levelOf('deadLetter'), levelOf('requeue')]).toEqual(['observe', 'act']);
  });

  it('is none where the attempt that was given up stays silent', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...started });
    await runAt(LEASE);
    await runAt(GRANTED);
    await world.send({ type: 'started', job: 'a', worker: { id: 'w2' }, attempt: 2, leaseMs: LEASE });
    await world.send({ type: 'succeeded', job: 'a', worker: { id: 'w2' }, attempt: 2 });
    await runAt(GRANTED + 10 * LEASE);
    await wrongActs.step();
    expect(levelOf('requeue')).toBe('act');
    expect([await incidents(), told]).toEqual([[], []]);
  });
});
