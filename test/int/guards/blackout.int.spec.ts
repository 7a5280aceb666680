import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Blackouts, Incidents } from '#libs/application';
import type { QueuePolicy } from '#libs/domain';
import { PgBlackoutStore, PgIncidentStore, QueueIds } from '#libs/postgres';
import { createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';
import { Fleet, named, T0 } from './fleet.js';

const MINUTE = 60_000;

describe('the blackout guard', () => {
  let database: TestDatabase;
  const fleets: Fleet[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await Promise.all(fleets.splice(0).map((fleet) => fleet.close()));
    await database.drop();
  });

  async function replica(changes: Partial<QueuePolicy> = {}): Promise<Fleet> {
    const fleet = new Fleet(database, fixedPolicies({ idempotent: true, ...changes }, 'act'));
    fleets.push(fleet);
    if (fleets.length === 1) await fleet.begin();
    return fleet;
  }

  it('never holds for one dead worker, also when it had all 50 jobs of the queue (A6)', async () => {
    const fleet = await replica();
    await fleet.hold(['w1'], 50);
    await fleet.settleAt(30_000);
    await fleet.settleAt(45_000);
    expect(await fleet.standing()).toEqual({ requeued: 50 });
    expect(await fleet.requeuedMs()).toEqual(Array.from({ length: 50 }, () => 45_000));
    expect(await fleet.incidents()).toEqual([]);
  });

  it('holds the queue when all its workers fall silent at once: no attempt is spent, one incident says so', async () => {
    const fleet = await replica();
    await fleet.hold(named('w', 10), 5);
    await fleet.settleAt(30_000);
    for (let ms = 31_000; ms < 5 * MINUTE; ms += 10_000) await fleet.settleAt(ms);
    expect(await fleet.standing()).toEqual({ 'processing (blackout)': 50 });
    expect(await fleet.incidents()).toEqual([
      {
        status: 'open',
        queue: 'q',
        summary: '10 of 10 workers of q fell silent within one lease, with 50 jobs: recovery is held',
        steps: 1,
      },
    ]);
    const [step] = await fleet.world.database.query<{ evidence: string }>('SELECT evidence FROM jobwarden.incident_steps');
    expect(JSON.parse(step?.evidence ?? '')).toMatchObject({ lostWorkers: 10, workers: 10, share: 1, lostJobs: 50, windowMs: 30_000 });
  });

  it('says which release they are of, where all the others go on', async () => {
    const fleet = await replica();
    const [bad, good] = [named('bad', 8), named('good', 4)];
    await fleet.hold([...bad, ...good]);
    await fleet.tell(bad, '2.5.0');
    await fleet.at(20_000);
    await fleet.tell(good, '2.4.0');
    await fleet.settleAt(30_000);
    expect(await fleet.incidents()).toMatchObject([
      { summary: '8 of 12 workers of q fell silent within one lease, with 8 jobs: recovery is held. All of them are of release 2.5.0, of which nobody beats, and others do' },
    ]);
    const [step] = await fleet.world.database.query<{ evidence: string }>('SELECT evidence FROM jobwarden.incident_steps');
    expect(JSON.parse(step?.evidence ?? '')).toMatchObject({ revisions: [{ revision: '2.5.0', lost: 8, live: 0 }, { revision: '2.4.0', lost: 0, live: 4 }] });
  });

  it('ends when enough of the workers beat again, and only what is still silent is recovered', async () => {
    const fleet = await replica();
    const workers = named('w', 10);
    await fleet.hold(workers, 2);
    await fleet.settleAt(30_000);
    expect(await fleet.standing()).toEqual({ 'processing (blackout)': 20 });
    await fleet.at(50_000);
    await fleet.beat(workers.slice(0, 5), 2);
    await fleet.settleAt(52_000);
    expect(await fleet.standing()).toEqual({ processing: 10, 'processing (blackout)': 10 });
    await fleet.beat(workers.slice(5, 9), 2);
    await fleet.settleAt(54_000);
    await fleet.settleAt(54_001);
    expect(await fleet.standing()).toEqual({ processing: 18, 'restart-requested': 2 });
    expect(await fleet.incidents()).toMatchObject([{ status: 'resolved', steps: 2 }]);
  });

  it('ends when other workers take the place of those who were lost', async () => {
    const fleet = await replica();
    await fleet.hold(named('w', 5), 1);
    await fleet.settleAt(30_000);
    expect(await fleet.standing()).toEqual({ 'processing (blackout)': 5 });
    await fleet.hold(named('new', 12), 1);
    await fleet.settleAt(32_000);
    await fleet.settleAt(32_001);
    expect(await fleet.standing()).toEqual({ processing: 12, 'restart-requested': 5 });
  });

  it.each([
    { silent: 6, held: false },
    { silent: 7, held: true },
  ])('holds when more than the share is lost: $silent of 20', async ({ silent, held }) => {
    const fleet = await replica();
    const workers = named('w', 20);
    await fleet.hold(workers);
    await fleet.at(20_000);
    await fleet.beat(workers.slice(silent));
    await fleet.settleAt(30_000);
    expect(await fleet.standing()).toEqual(
      held ? { processing: 20 - silent, 'processing (blackout)': silent } : { processing: 14, 'restart-requested': 6 },
    );
  });

  it('counts within one lease, also whose jobs have been put back meanwhile', async () => {
    const fleet = await replica({ graceMs: 1_000 });
    const workers = named('w', 6);
    for (const [i, worker] of workers.entries()) {
      await fleet.settleAt(i * 5_000);
      await fleet.hold([worker]);
    }
    // One after the other falls silent, five seconds apart, and is recovered before the next one does.
    for (let ms = 30_000; ms <= 60_000; ms += 500) await fleet.settleAt(ms);
    expect(await fleet.standing()).toEqual({ requeued: 4, 'processing (blackout)': 2 });
  });

  it('does not add up what was lost over hours', async () => {
    const fleet = await replica();
    for (const [i, worker] of named('w', 8).entries()) {
      await fleet.settleAt(i * 10 * MINUTE);
      await fleet.hold([worker]);
      await fleet.settleAt(i * 10 * MINUTE + 30_000);
      await fleet.settleAt(i * 10 * MINUTE + 45_000);
    }
    expect(await fleet.standing()).toEqual({ requeued: 8 });
    expect(await fleet.incidents()).toEqual([]);
  });

  it('ends by an operator, at the budget’s rate, and does not begin again for the same workers', async () => {
    const fleet = await replica({ budget: { perSecond: 1, burst: 4 } });
    await fleet.hold(named('w', 10));
    await fleet.settleAt(30_000);
    const told = { by: 'ann', reason: 'the cluster is gone' };
    const queue = { namespace: 'default', queue: 'q' };
    expect(await fleet.world.blackouts.release(queue, told)).toBe(true);
    expect(await fleet.world.blackouts.release(queue, told)).toBe(false);
    await fleet.settleAt(30_001);
    expect(await fleet.standing()).toEqual({ 'restart-requested': 10 });
    await fleet.settleAt(45_001);
    expect(await fleet.standing()).toEqual({ requeued: 4, 'restart-requested (budget)': 6 });
    expect(await fleet.incidents()).toMatchObject([{ status: 'resolved' }]);
    const [step] = await fleet.world.database.query('SELECT made_by, reason FROM jobwarden.incident_steps ORDER BY n DESC LIMIT 1');
    expect(step).toEqual({ made_by: 'ann', reason: 'the cluster is gone' });
  });

  it('ends by itself after holdMax where workers of other queues are heard over the same lane, and only there', async () => {
    const fleet = await replica();
    await fleet.hold(named('w', 5));
    await fleet.settleAt(30_000);
    await fleet.settleAt(30 * MINUTE);
    expect(await fleet.standing()).toEqual({ 'processing (blackout)': 5 });
    await fleet.hold(['elsewhere'], 1, 'other');
    await fleet.beat(['elsewhere'], 1, 'other');
    await fleet.settleAt(31 * MINUTE);
    await fleet.settleAt(31 * MINUTE + 1);
    expect(await fleet.standing()).toEqual({ 'restart-requested': 5 });
  });

  it('ends by itself after holdMax where Kafka has been read all the while', async () => {
    const fleet = await replica();
    const { database: db } = fleet.world;
    await db.query(`INSERT INTO jobwarden.lanes (lane, name, read_ms) VALUES (2, 'events/0', $1)`, [T0 + 30_000]);
    await fleet.hold(named('w', 5));
    await fleet.beat(named('w', 5));
    await db.query('UPDATE jobwarden.leases SET lane = 2');
    await fleet.settleAt(30_000);
    await fleet.settleAt(11 * MINUTE);
    expect(await fleet.standing()).toEqual({ 'processing (blackout)': 5 });
    await db.query('UPDATE jobwarden.lanes SET read_ms = $1 WHERE lane = 2', [T0 + 12 * MINUTE]);
    await fleet.settleAt(12 * MINUTE);
    await fleet.settleAt(12 * MINUTE + 1);
    expect(await fleet.standing()).toEqual({ 'restart-requested': 5 });
  });

  it('is no blackout that nobody was heard while we were down ourselves (B5)', async () => {
    const fleet = await replica();
    const workers = named('w', 10);
    await fleet.hold(workers, 2);
    await fleet.world.database.query('UPDATE jobwarden.lanes SET gap_end_ms = $1 WHERE lane = 0', [T0 + 2 * MINUTE]);
    await fleet.settleAt(2 * MINUTE + 5_000);
    expect(await fleet.standing()).toEqual({ processing: 20 });
    await fleet.beat(workers, 2);
    await fleet.settleAt(2 * MINUTE + 30_000);
    expect(await fleet.standing()).toEqual({ processing: 20 });
    expect(await fleet.incidents()).toEqual([]);
  });

  it('has nothing to say of workers that come and go while their leases are good (A10)', async () => {
    const fleet = await replica();
    const workers = named('w', 20);
    await fleet.hold(workers, 10);
    await fleet.at(20_000);
    await fleet.beat(workers, 10);
    await fleet.hold(named('new', 20));
    for (let ms = 21_000; ms < 50_000; ms += 4_000) await fleet.settleAt(ms);
    expect(await fleet.standing()).toEqual({ processing: 220 });
    // And the same workers once their leases are over.
    await fleet.settleAt(50_000);
    expect(await fleet.standing()).toEqual({ 'processing (blackout)': 220 });
  });

  it('is one for any number of replicas, and stands after a restart', async () => {
    const [one, two, three] = [await replica(), await replica(), await replica()];
    await one.hold(named('w', 10), 20);
    for (const ms of [30_000, 31_500, 60_000]) {
      await Promise.all([one, two, three].map((fleet) => fleet.at(ms)));
      await Promise.all([one.settle(), two.settle(), three.settle()]);
    }
    expect(await one.incidents()).toMatchObject([{ status: 'open', steps: 1 }]);
    await Promise.all(fleets.splice(0).map((fleet) => fleet.close()));
    const later = new Fleet(database, fixedPolicies({ idempotent: true }, 'act'));
    fleets.push(later);
    await later.settleAt(2 * MINUTE);
    expect(await later.standing()).toEqual({ 'processing (blackout)': 200 });
  });

  it('tells of itself although whoever found it died before it could', async () => {
    const fleet = await replica();
    const { database: db, policies, clock } = fleet.world;
    const ids = new QueueIds(db);
    const store = new PgBlackoutStore(db, ids);
    const dies = { openOn: () => Promise.reject(new Error('died')), resolveOn: () => Promise.reject(new Error('died')) };
    await fleet.hold(named('w', 5));
    await fleet.at(30_000);
    const due = named('w', 5).map((id) => ({ ref: { namespace: 'default', queue: 'q', id: `${id}-0` }, keyHex: '', lookAtMs: 0, waitsFor: 'lease' }));
    await expect(new Blackouts({ store, policies, incidents: dies }).watch(due, await clock.read())).rejects.toThrow('died');
    expect(await fleet.incidents()).toEqual([]);
    const lives = new Blackouts({ store, policies, incidents: new Incidents(new PgIncidentStore(db, ids)) });
    await lives.watch([], await clock.read());
    await lives.watch([], await clock.read());
    expect(await fleet.incidents()).toMatchObject([{ status: 'open', steps: 1 }]);
  });

  it('goes on whatever a replica makes of it that was halted with how far the lanes had been read before', async () => {
    const fleet = await replica();
    await fleet.hold(named('w', 5));
    await fleet.at(29_000);
    const old = await fleet.world.clock.read();
    for (const ms of [30_000, 32_000]) {
      await fleet.at(ms);
      await fleet.settle();
      await fleet.at(ms + 1_500);
      await fleet.world.blackouts.watch([], old);
    }
    expect(await fleet.standing()).toEqual({ 'processing (blackout)': 5 });
    await fleet.settleAt(40_000);
    expect(await fleet.standing()).toEqual({ 'processing (blackout)': 5 });
    expect(await fleet.incidents()).toMatchObject([{ status: 'open', steps: 1 }]);
  });

  describe('told of by a replica that was halted with what it had read', () => {
    const queue = { namespace: 'default', queue: 'q' };
    /** Another replica, which has read now what incidents do not know, and goes on from there when it is called. */
    async function halted(fleet: Fleet): Promise<() => Promise<void>> {
      const { database: db, policies, clock } = fleet.world;
      const ids = new QueueIds(db);
      const store = new PgBlackoutStore(db, ids);
      const untold = await store.untold();
      expect(untold).toHaveLength(1);
      const reading = await clock.read();
      const stale = Object.assign(Object.create(store) as PgBlackoutStore, { untold: () => Promise.resolve(untold), held: () => Promise.resolve([]) });
      return async () => await new Blackouts({ store: stale, policies, incidents: new Incidents(new PgIncidentStore(db, ids)) }).watch([], reading);
    }
    /** Assessed, and not told of yet. */
    async function assessed(fleet: Fleet): Promise<void> {
      const { database: db, policies, clock } = fleet.world;
      const store = new PgBlackoutStore(db, new QueueIds(db));
      const dies = { openOn: () => Promise.reject(new Error('died')), resolveOn: () => Promise.reject(new Error('died')) };
      const due = named('w', 5).map((id) => ({ ref: { ...queue, id: `${id}-0` }, keyHex: '', lookAtMs: 0, waitsFor: 'lease' }));
      await expect(new Blackouts({ store, policies, incidents: dies }).watch(due, await clock.read())).rejects.toThrow('died');
    }

    it('opens no incident once it is over', async () => {
      const fleet = await replica();
      await fleet.hold(named('w', 5));
      await fleet.at(30_000);
      await assessed(fleet);
      const wakes = await halted(fleet);
      await fleet.settle();
      await fleet.world.blackouts.release(queue, { by: 'ann', reason: 'they are gone' });
      expect(await fleet.incidents()).toMatchObject([{ status: 'resolved' }]);
      await wakes();
      expect(await fleet.incidents()).toMatchObject([{ status: 'resolved', steps: 2 }]);
    });

    it('does not end the incident of the next one', async () => {
      const fleet = await replica();
      await fleet.hold(named('w', 5));
      await fleet.settleAt(30_000);
      await fleet.world.database.query(`UPDATE jobwarden.queue_guards SET blackout_ms = NULL, counts_from_ms = $1`, [T0 + 30_000]);
      await fleet.world.database.query('DELETE FROM jobwarden.lost_workers');
      const wakes = await halted(fleet);
      await fleet.settle();
      await fleet.hold(named('next', 5));
      await fleet.settleAt(70_000);
      expect(await fleet.incidents()).toMatchObject([{ status: 'resolved' }, { status: 'open' }]);
      await wakes();
      expect(await fleet.incidents()).toMatchObject([{ status: 'resolved' }, { status: 'open' }]);
    });
  });
});
