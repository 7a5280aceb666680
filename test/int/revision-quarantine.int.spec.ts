import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClaimJob, RevisionQuarantine } from '#libs/application';
import { PgClaimReads, PgLaneClock, PgRefusedRevisionStore, PgRevisionReads, pgReadModels } from '#libs/postgres';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';

const T0 = 1_700_000_000_000;
const q = { namespace: 'default', queue: 'q' };
const bad = { ...q, revision: 'r"2' };
const asked = { reason: 'it loops', by: 'anna' };
const worker = (id: string, revision?: string) => ({ worker: { id, ...(revision !== undefined && { revision }) } });

describe('releases that are out of service', () => {
  let database: TestDatabase;
  let world: World;
  const clocks: PgLaneClock[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    world = new World(database.url, fixedPolicies({ claims: 'required', leaseMs: 30_000 }, 'act'));
    await world.startClock(T0);
    await world.database.query('DELETE FROM jobwarden.replicas');
  });
  afterEach(async () => {
    for (const clock of clocks.splice(0)) await clock.stop();
    await world.close();
    await database.drop();
  });

  /** What one replica knows, and its beats. */
  function replica(roles = 'api,work') {
    let nowMs = 0;
    const parts = { reads: new PgRevisionReads(world.database), policies: world.policies, clock: world.clock, nowMs: () => nowMs };
    const quarantine = new RevisionQuarantine({ ...parts, store: new PgRefusedRevisionStore(world.database) });
    const clock = new PgLaneClock(world.database, randomUUID(), roles, { refusalsRead: () => quarantine.goesBy });
    clocks.push(clock);
    const claims = new ClaimJob({
      ...{ log: world.log, policies: world.policies, clock: world.clock, gates: world.gates, revisions: quarantine },
      reads: new PgClaimReads(world.database),
      retired: pgReadModels(world.database).jobs,
    });
    const claim = (id: string, revision?: string) =>
      quarantine.during(() => claims.claim({ ...q, id }, { claimId: randomUUID(), ...worker('w1', revision) }));
    return { quarantine, claim, clock, pass: (ms: number) => (nowMs += ms) };
  }

  it('are granted nothing, nor anything of another queue’s or namespace’s name, and then are again', async () => {
    const { quarantine, claim } = replica();
    await world.send(...['a', 'b', 'c'].map((job) => ({ type: 'queued', job })));
    const { refusal, changed } = await quarantine.set({ ...bad, ...asked, incidentId: '7' });
    expect([changed, refusal]).toMatchObject([true, { revision: 'r"2', reason: 'it loops', by: 'anna', incidentId: '7', setMs: T0, lifted: null }]);
    expect(await quarantine.set({ ...bad, reason: 'again', by: 'bert' })).toEqual({ refusal, changed: false });
    expect(await claim('a', 'r"2')).toMatchObject({ kind: 'refused', refusal: 'revision_quarantined', retryAfterMs: 5_000 });
    expect(await claim('a', 'r1')).toMatchObject({ kind: 'granted' });
    expect(await claim('b')).toMatchObject({ kind: 'granted' });
    expect(quarantine.refusedOf(q)).toEqual(['r"2']);
    expect(quarantine.refuses({ ...q, queue: 'other' }, { id: 'w', revision: 'r"2' })).toBe(false);
    expect(quarantine.refuses({ ...q, namespace: 'other' }, { id: 'w', revision: 'r"2' })).toBe(false);
    expect(await quarantine.lift({ ...bad, queue: null, ...asked })).toBeNull();
    expect(await quarantine.lift({ ...bad, reason: 'mended', by: 'cleo' })).toMatchObject({ id: refusal.id, lifted: { ms: T0, by: 'cleo', reason: 'mended' } });
    expect(await claim('c', 'r"2')).toMatchObject({ kind: 'granted', attempt: 1 });
    await quarantine.set({ ...bad, queue: null, ...asked });
    expect(quarantine.refuses({ ...q, queue: 'other' }, { id: 'w', revision: 'r"2' })).toBe(true);
  });

  it('take none of what a throttled queue lets in', async () => {
    const { quarantine, claim } = replica();
    await world.send(...['a', 'b'].map((job) => ({ type: 'queued', job })));
    await quarantine.set({ ...bad, ...asked });
    await world.gates.set({ ...q, gate: 'throttled', perSecond: 1, ...asked });
    for (let i = 0; i < 5; i += 1) expect(await claim('a', 'r"2')).toMatchObject({ refusal: 'revision_quarantined' });
    expect(await claim('a', 'r1')).toMatchObject({ kind: 'granted' });
    expect(await claim('b', 'r1')).toMatchObject({ refusal: 'throttled' });
  });

  it('are refused everywhere only once every live replica goes by it, and no claim of before is under way', async () => {
    const [one, two] = [replica(), replica()];
    const worker = replica('work');
    for (const { quarantine, clock } of [one, two, worker]) {
      await quarantine.refresh();
      await clock.beat();
    }
    await one.quarantine.set({ ...bad, ...asked });
    const everywhere = async () => (await one.quarantine.standing(bad)).refusedEverywhere;
    await one.clock.beat();
    expect(await everywhere()).toBe(false);
    let answer: () => void = () => undefined;
    const underWay = two.quarantine.during(() => new Promise<void>((resolve) => (answer = resolve)));
    // Entered with what was known before, and still to be answered.
    await Promise.resolve();
    await two.quarantine.refresh();
    expect(two.quarantine.refuses(q, { id: 'w', revision: 'r"2' })).toBe(true);
    await two.clock.beat();
    expect(await everywhere()).toBe(false);
    answer();
    await underWay;
    await two.clock.beat();
    expect(await everywhere()).toBe(true);
    expect((await one.quarantine.standing({ ...bad, revision: 'r1' })).refusedEverywhere).toBe(false);
    expect((await one.quarantine.standing({ ...bad, queue: null })).refusedEverywhere).toBe(false);
  });

  it('are read anew by a replica that was stopped for a while, before it grants anything', async () => {
    const [one, two] = [replica(), replica()];
    await world.send({ type: 'queued', job: 'a' });
    await two.quarantine.refresh();
    await one.quarantine.set({ ...bad, ...asked });
    two.pass(5_001);
    expect(await two.claim('a', 'r"2')).toMatchObject({ refusal: 'revision_quarantined' });
  });

  it('may yet be granted something by a replica that is silent, as long as a transaction of its own may stand', async () => {
    const [one, two] = [replica(), replica()];
    await two.quarantine.refresh();
    await two.clock.beat();
    await one.quarantine.set({ ...bad, ...asked });
    const silentFor = async (seconds: number) => {
      await world.database.query(`UPDATE jobwarden.replicas SET beat_at = clock_timestamp() - make_interval(secs => $1)`, [seconds]);
      await one.clock.beat();
      return (await one.quarantine.standing(bad)).refusedEverywhere;
    };
    expect([await silentFor(4), await silentFor(6)]).toEqual([false, true]);
  });

  it('are granted nothing by a claim that asked the list before its replica was halted', async () => {
    const [one, two] = [replica(), replica()];
    await world.send({ type: 'queued', job: 'a' });
    await two.quarantine.refresh();
    // It has gone by its list, and reads the gate of the queue.
    const gates = { of: () => null, untilPermit: () => Promise.resolve(0) };
    let halts = 0;
    const log = Object.assign(Object.create(world.log) as typeof world.log, {
      transact: async (...of: Parameters<typeof world.log.transact>) => {
        if (halts++ === 0) await one.quarantine.set({ ...bad, ...asked });
        return await world.log.transact(...of);
      },
    });
    const claims = new ClaimJob({
      ...{ log, policies: world.policies, clock: world.clock, gates, revisions: two.quarantine },
      reads: new PgClaimReads(world.database),
      retired: pgReadModels(world.database).jobs,
    });
    const claim = (id: string, revision: string) => claims.claim({ ...q, id }, { claimId: randomUUID(), ...worker('w1', revision) });
    expect(await two.quarantine.during(() => claim('a', 'r"2'))).toMatchObject({ refusal: 'revision_quarantined' });
    expect(halts).toBe(2);
    expect(await claim('a', 'r1')).toMatchObject({ kind: 'granted' });
  });

  it('count the attempts that they still hold, by lease, and none of another release or of before', async () => {
    const { quarantine, claim } = replica();
    const live = async () => (await quarantine.standing(bad)).liveLeases;
    await world.send(...['a', 'b', 'c'].map((job) => ({ type: 'queued', job })));
    const held = await claim('a', 'r"2');
    await claim('b', 'r"2');
    await claim('c', 'r1');
    await quarantine.set({ ...bad, ...asked });
    expect(await live()).toBe(2);
    if (held.kind !== 'granted') throw new Error('it was not granted');
    await world.send({ type: 'released', job: 'a', attempt: 1, token: held.token, ...worker('w1', 'r"2') });
    expect(await live()).toBe(1);
    await world.at(T0 + 30_000);
    expect(await live()).toBe(0);
  });

  it('are told to their workers with each heartbeat, by queue', async () => {
    const { quarantine } = replica();
    await quarantine.set({ ...bad, ...asked });
    const ingest = world.ingestBy(quarantine);
    const beat = async (revision: string) => {
      const [result] = await ingest({ type: 'jobwarden.worker.heartbeat.v1', job: 'w1', worker: { id: 'w1', revision }, jobs: [{ queue: 'q', id: 'a' }, { queue: 'p', id: 'a' }] });
      return result;
    };
    expect(await beat('r"2')).toMatchObject({ outcome: 'recorded', refusedQueues: ['q'] });
    expect(await beat('r1')).not.toHaveProperty('refusedQueues');
  });
});
