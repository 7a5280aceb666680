import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperateJob, RedriveMany, type RedriveStep } from '#libs/application';
import { pgReadModels, PgRedriveStore } from '#libs/postgres';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';

const PER_SECOND = 100;

describe('a second of many redrives, which is more than one transaction', () => {
  const database = useTestDatabase();
  let world: World;
  let operate: OperateJob;
  let store: PgRedriveStore;
  beforeAll(() => {
    world = new World(database.url, fixedPolicies({ idempotent: true, maxRetries: 0 }, 'act'));
    operate = new OperateJob(world.log, world.policies, pgReadModels(world.database).jobs);
    store = new PgRedriveStore(world.database);
  });
  afterAll(() => world.close());

  /** Sixty dead letters, and a run of them. */
  async function started(queue: string): Promise<string> {
    const error = { class: 'E', message: 'no' };
    for (let i = 0; i < 60; i += 1) {
      const job = `${queue}-${String(i)}`;
      await world.send({ type: 'queued', queue, job }, { type: 'failed', queue, job, retryable: false, error });
    }
    await world.run();
    const filter = { namespace: 'default', queue };
    const answer = await new RedriveMany(store, operate).call({ filter, count: 60, perSecond: PER_SECOND, force: false, by: 'bob', reason: 'again' });
    if (answer.kind !== 'started') throw new Error(JSON.stringify(answer));
    return answer.run.id;
  }

  it('is noted as far as it came where it broke off, and goes on there', async () => {
    const id = await started('killed');
    let calls = 0;
    const breaking = new RedriveMany(store, {
      callAll: async (...call) => {
        calls += 1;
        if (calls === 2) throw new Error('the connection ended');
        return await operate.callAll(...call);
      },
    });
    await expect(breaking.step()).rejects.toThrow('the connection ended');
    expect(await store.one(id)).toMatchObject({ status: 'running', redriven: 50 });
    expect(await breaking.step()).toBe(false);
    await world.database.query(`UPDATE jobwarden.redrives SET busy_until = clock_timestamp()`);
    expect(await breaking.step()).toBe(true);
    expect(await store.one(id)).toMatchObject({ status: 'finished', redriven: 60, refused: 0 });
  });

  it('ends with the transaction in which it was stopped', async () => {
    const id = await started('stopped');
    const stopping = new RedriveMany(store, {
      callAll: async (...call) => {
        await store.stop(id, 'ada');
        return await operate.callAll(...call);
      },
    });
    expect(await stopping.step()).toBe(true);
    expect(await store.one(id)).toMatchObject({ status: 'stopped', redriven: 50 });
    expect(await world.database.query(`SELECT FROM jobwarden.jobs WHERE status = 'dead-lettered'`)).toHaveLength(10);
  });

  it('does nothing more once it is let go on that was halted, where the run was stopped or another replica is at it', async () => {
    const id = await started('halted');
    const held = await world.database.query(`SELECT FROM jobwarden.jobs WHERE status = 'dead-lettered'`);
    const halted = (meanwhile: () => Promise<unknown>): RedriveMany => {
      const takeStep = async () => {
        const step = await store.takeStep();
        await meanwhile();
        return step;
      };
      return new RedriveMany(Object.assign(Object.create(store) as PgRedriveStore, { takeStep }), operate);
    };
    const passed = `UPDATE jobwarden.redrives SET busy_until = clock_timestamp() - interval '1 hour' WHERE redrive_id = $1`;
    let other: RedriveStep | null = null;
    await halted(async () => {
      await world.database.query(passed, [id]);
      other = await store.takeStep();
    }).step();
    expect(other).toMatchObject({ run: { id } });
    expect(await store.one(id)).toMatchObject({ status: 'running', redriven: 0 });
    expect(await store.takeStep()).toBeNull();
    await world.database.query(passed, [id]);
    await halted(() => store.stop(id, 'ada')).step();
    expect(await store.one(id)).toMatchObject({ status: 'stopped', redriven: 0 });
    expect(await world.database.query(`SELECT FROM jobwarden.jobs WHERE status = 'dead-lettered'`)).toHaveLength(held.length);
  });
});
