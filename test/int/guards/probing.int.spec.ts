import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QueuePolicy } from '#libs/domain';
import { PgProbingStore, pgReadModels } from '#libs/postgres';
import { createTestDatabase, fixedPolicies, type TestDatabase, type TestEvent } from '#libs/testing';
import { Fleet, named, T0 } from './fleet.js';

const error = { class: 'Unavailable', message: 'the service is down' };
const worker = { id: 'w' };

interface Probe {
  readonly job: string;
  readonly attempt: number;
}

describe('probing', () => {
  let database: TestDatabase;
  let fleet: Fleet;

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await fleet.close();
    await database.drop();
  });

  /** Forty jobs that fail; the second attempts of `failing` fail too, those of the others succeed. */
  async function begin(failing: number, changes: Partial<QueuePolicy> = {}): Promise<void> {
    const backoff = { initialMs: 1_000, factor: 1, maxMs: 1_000, jitter: 0 };
    fleet = new Fleet(database, fixedPolicies({ idempotent: true, maxRetries: 10, backoff, ...changes }, 'act'));
    await fleet.begin();
    const jobs = named('j', 40);
    await fleet.world.send(...jobs.flatMap((job) => [{ type: 'queued', job }, { type: 'started', job, worker }]));
    await fail(jobs, 1);
    await fleet.settleAt(0);
    await fleet.settleAt(1_000);
    expect(await fleet.standing()).toEqual({ requeued: 40 });
    await fail(jobs.slice(0, failing), 2);
    const well = jobs.slice(failing);
    if (well.length > 0) await fleet.world.send(...well.map((job) => ({ type: 'succeeded', job, attempt: 2, worker })));
    await fleet.settle();
    await fleet.settleAt(4_000);
  }

  async function fail(jobs: readonly string[], attempt: number): Promise<void> {
    await fleet.world.send(...jobs.map((job) => ({ type: 'failed', job, attempt, worker, error })));
  }

  async function probes(): Promise<readonly Probe[]> {
    return await fleet.world.database.query<Probe & object>(
      `SELECT job_id AS job, attempt FROM jobwarden.jobs WHERE status = 'requeued' ORDER BY 1`,
    );
  }

  async function failProbes(some: readonly Probe[]): Promise<void> {
    for (const { job, attempt } of some) await fail([job], attempt);
  }

  it('lets only a few go out while what is requeued fails again, and all once one has succeeded', async () => {
    await begin(40);
    expect(await fleet.standing()).toEqual({ requeued: 3, 'retrying (probing)': 37 });
    const queue = await pgReadModels(fleet.world.database).queues.one('default', 'q');
    expect(queue?.recovery).toMatchObject({ heldBy: 'probing' });
    await failProbes(await probes());
    await fleet.settleAt(20_000);
    expect(await probes()).toEqual([]);
    await fleet.settleAt(35_000);
    expect(await probes()).toHaveLength(3);
    await fleet.world.send({ type: 'succeeded', ...(await probes())[0], worker } as TestEvent);
    await fleet.settleAt(38_000);
    await fleet.settleAt(38_001);
    expect(await fleet.standing()).toEqual({ requeued: 39, succeeded: 1 });
    expect((await pgReadModels(fleet.world.database).queues.one('default', 'q'))?.recovery).toBeNull();
  });

  it('does not begin again by samples that a replica had read before it was halted, nor are newer ones forgotten for them', async () => {
    await begin(40);
    const store = new PgProbingStore(fleet.world.database);
    const [{ queueId } = { queueId: 0 }] = await store.tallies(3_600_000);
    const old = { queue: { namespace: 'default', queue: 'q' }, queueId, sinceMs: null, probedMs: 0, failed: 20, succeeded: 0 };
    await fleet.world.send({ type: 'succeeded', ...(await probes())[0], worker } as TestEvent);
    await fleet.settleAt(8_000);
    await fleet.settleAt(8_001);
    const followed = async () => await fleet.world.database.query('SELECT FROM jobwarden.rerun_samples');
    expect(await followed()).not.toHaveLength(0);
    for (const move of ['begin', 'forget'] as const) await store.move(old, move, { nowMs: T0 + 4_000, probes: 3 });
    expect((await pgReadModels(fleet.world.database).queues.one('default', 'q'))?.recovery).toBeNull();
    expect(await followed()).not.toHaveLength(0);
  });

  it('waits for a probe that takes longer than the time between two', async () => {
    await begin(40);
    const [slow, ...others] = await probes();
    await failProbes(others);
    await fleet.world.send({ type: 'started', ...slow, worker } as TestEvent);
    await fleet.settleAt(35_000);
    await fleet.settleAt(66_000);
    await fleet.world.send({ type: 'succeeded', ...slow, worker } as TestEvent);
    await fleet.settleAt(69_000);
    await fleet.settleAt(69_001);
    expect(await fleet.standing()).toEqual({ requeued: 39, succeeded: 1 });
  });

  it('does not begin where enough of them succeed, nor with a share of 1', async () => {
    await begin(16);
    expect(await fleet.standing()).toEqual({ requeued: 16, succeeded: 24 });
    await fleet.close();
    await database.drop();
    database = await createTestDatabase();
    await begin(40, { probing: { share: 1, probes: 3, everyMs: 30_000 } });
    expect(await fleet.standing()).toEqual({ requeued: 40 });
  });

  it('gives out no more probes to two replicas that look at once', async () => {
    await begin(40);
    const second = new Fleet(database, fleet.world.policies);
    try {
      await failProbes(await probes());
      for (const ms of [20_000, 36_000, 70_000]) {
        await Promise.all([fleet.at(ms), second.at(ms)]);
        await Promise.all([fleet.settle(), second.settle()]);
      }
    } finally {
      await second.close();
    }
    const times = await fleet.requeuedMs();
    expect(times.slice(40)).toEqual([4_000, 4_000, 4_000, 36_000, 36_000, 36_000, 70_000, 70_000, 70_000]);
  });
});
