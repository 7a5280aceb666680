import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperateJob } from '#libs/application';
import { pgReadModels } from '#libs/postgres';
import type { QueuePolicy } from '#libs/domain';
import { createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';
import { Fleet, named } from './fleet.js';

const LEASE_AND_GRACE = 45_000;

describe('the budget of requeues', () => {
  let database: TestDatabase;
  const fleets: Fleet[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await Promise.all(fleets.splice(0).map((fleet) => fleet.close()));
    await database.drop();
  });

  /** Another replica, where there is one already. */
  async function replica(changes: Partial<QueuePolicy> = {}, all?: { perSecond: number; burst: number }): Promise<Fleet> {
    const policies = { ...fixedPolicies({ idempotent: true, ...changes }, 'act'), budget: all };
    const fleet = new Fleet(database, policies);
    fleets.push(fleet);
    if (fleets.length === 1) await fleet.begin();
    return fleet;
  }

  /** Most that were granted within any second. */
  function busiest(times: readonly number[]): number {
    return Math.max(...times.map((from) => times.filter((ms) => ms >= from && ms < from + 1_000).length));
  }

  it('spreads 5,000 leases that expire at once, and loses none of them (C2)', async () => {
    const budget = { perSecond: 500, burst: 200 };
    const fleet = await replica({ budget });
    await fleet.hold(named('w', 4), 1_250);
    await fleet.settleAt(30_000);
    expect(await fleet.standing()).toEqual({ 'restart-requested': 5_000 });
    let looked = 0;
    for (let ms = LEASE_AND_GRACE; ms <= LEASE_AND_GRACE + 12_000; ms += 250) looked += await fleet.settleAt(ms);
    const times = await fleet.requeuedMs();
    expect(times.length).toBe(5_000);
    for (const [i, ms] of times.entries()) {
      expect(i + 1).toBeLessThanOrEqual(200 + ((ms - LEASE_AND_GRACE) * 500) / 1_000);
    }
    expect(busiest(times)).toBeLessThanOrEqual(700);
    expect(new Set(times).size).toBeGreaterThan(35);
    expect(await fleet.standing()).toEqual({ requeued: 5_000 });
    // Once when it is due, once at its turn, and seldom a little too early.
    expect(looked).toBeLessThan(12_500);
  }, 120_000);

  it('holds what is over it, and shows that', async () => {
    const fleet = await replica({ budget: { perSecond: 1, burst: 2 } });
    await fleet.hold(['w'], 4);
    await fleet.settleAt(30_000);
    await fleet.at(LEASE_AND_GRACE);
    const run = await fleet.world.run();
    expect(run.rows.map((r) => [r.outcome, r.heldBy])).toEqual([
      ['decided', null],
      ['decided', null],
      ['held', 'budget'],
      ['held', 'budget'],
    ]);
    expect(await fleet.standing()).toEqual({ requeued: 2, 'restart-requested (budget)': 2 });
    const { items } = await pgReadModels(fleet.world.database).reconciliations.list({ namespace: 'default' }, { limit: 1, after: null });
    expect(items[0]?.rows.map((r) => r.heldBy)).toEqual([null, null, 'budget', 'budget']);
    await fleet.settleAt(LEASE_AND_GRACE + 4_000);
    expect(await fleet.standing()).toEqual({ requeued: 4 });
  });

  it('is spent once by two replicas that look at the same time', async () => {
    const budget = { perSecond: 20, burst: 30 };
    const all = { perSecond: 15, burst: 25 };
    const [one, two] = [await replica({ budget }, all), await replica({ budget }, all)];
    for (const queue of ['q', 'r']) await one.hold([`w-${queue}`], 100, queue);
    await one.settleAt(30_000);
    for (let ms = LEASE_AND_GRACE; ms <= LEASE_AND_GRACE + 6_000; ms += 500) {
      await Promise.all([one.at(ms), two.at(ms)]);
      await Promise.all([one.settle(), two.settle()]);
    }
    const times = await one.requeuedMs();
    for (const [i, ms] of times.entries()) {
      expect(i + 1).toBeLessThanOrEqual(25 + ((ms - LEASE_AND_GRACE) * 15) / 1_000);
    }
    // And none is left lying: the second replica does not spoil what the first one takes.
    expect(times.length).toBeGreaterThan(90);
  });

  it('of the installation keeps no queue waiting behind the line of another one', async () => {
    const fleet = await replica({ budget: { perSecond: 10, burst: 10 } }, { perSecond: 12, burst: 12 });
    await fleet.hold(['w'], 200);
    await fleet.settleAt(30_000);
    await fleet.settleAt(LEASE_AND_GRACE);
    await fleet.hold(['v'], 1, 'quiet');
    await fleet.settleAt(LEASE_AND_GRACE + 30_000);
    await fleet.settleAt(LEASE_AND_GRACE + 46_000);
    expect(await fleet.standing('quiet')).toEqual({ requeued: 1 });
    expect(await fleet.standing()).toHaveProperty(['restart-requested (budget)']);
  });

  it('goes on where it was left after a restart', async () => {
    const budget = { perSecond: 5, burst: 5 };
    const first = await replica({ budget });
    await first.hold(['w'], 40);
    await first.settleAt(30_000);
    await first.settleAt(LEASE_AND_GRACE);
    await first.close();
    fleets.length = 0;
    const policies = fixedPolicies({ idempotent: true, budget }, 'act');
    const second = new Fleet(database, policies);
    fleets.push(second);
    for (let ms = LEASE_AND_GRACE; ms <= LEASE_AND_GRACE + 9_000; ms += 500) await second.settleAt(ms);
    const times = await second.requeuedMs();
    expect(times.length).toBe(40);
    for (const [i, ms] of times.entries()) expect(i + 1).toBeLessThanOrEqual(5 + ((ms - LEASE_AND_GRACE) * 5) / 1_000);
  });

  it('lets 1,000 jobs that fail together try again after what they asked for, over the jitter window (C7)', async () => {
    const fleet = await replica({ budget: { perSecond: 200, burst: 100 } });
    const ids = named('j', 1_000);
    const worker = { id: 'w' };
    for (let i = 0; i < ids.length; i += 250) {
      const some = ids.slice(i, i + 250);
      await fleet.world.send(...some.flatMap((job) => [{ type: 'queued', job }, { type: 'started', job, worker }]));
      const error = { class: 'Unavailable', message: 'try later' };
      await fleet.world.send(...some.map((job) => ({ type: 'failed', job, worker, error, retryAfterMs: 60_000 })));
    }
    await fleet.settleAt(0);
    for (let ms = 59_000; ms <= 75_000; ms += 250) await fleet.settleAt(ms);
    const times = await fleet.requeuedMs();
    expect(times.length).toBe(1_000);
    expect(times[0]).toBeGreaterThanOrEqual(60_000);
    expect(busiest(times)).toBeLessThanOrEqual(150);
    expect(times.at(-1)).toBeGreaterThan(71_000);
  }, 60_000);

  it('does not meter what a person asked for', async () => {
    const fleet = await replica({ budget: { perSecond: 0.001, burst: 1 } });
    await fleet.hold(['w'], 3);
    const { log, policies } = fleet.world;
    const calls = new OperateJob(log, policies, pgReadModels(fleet.world.database).jobs);
    for (const id of ['w-0', 'w-1', 'w-2']) {
      await calls.call({ namespace: 'default', queue: 'q', id }, 'restart', { reason: 'it hangs', by: 'ann' });
    }
    await fleet.settleAt(15_000);
    expect(await fleet.standing()).toEqual({ requeued: 3 });
  });

  it('spends nothing on a would-have', async () => {
    const policies = fixedPolicies({ budget: { perSecond: 0.001, burst: 1 } });
    const fleet = new Fleet(database, policies);
    fleets.push(fleet);
    await fleet.begin();
    const error = { class: 'Boom', message: 'no' };
    const worker = { id: 'w' };
    for (const job of named('j', 3)) {
      await fleet.world.send({ type: 'queued', job }, { type: 'started', job, worker }, { type: 'released', job, worker });
      await fleet.world.send({ type: 'failed', job: `f${job}`, worker, error });
    }
    await fleet.settle();
    expect(await fleet.world.database.query('SELECT count(*)::int AS budgets FROM jobwarden.budgets')).toEqual([{ budgets: 0 }]);
  });
});
