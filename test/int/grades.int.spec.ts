import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pgReadModels } from '#libs/postgres';
import type { Level, QueuePolicy } from '#libs/domain';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';

const T0 = 1_700_000_000_000;
const LEASE = 30_000;
const w1 = { worker: { id: 'w1' }, leaseMs: LEASE };
const w2 = { worker: { id: 'w2' }, leaseMs: LEASE };
const error = { class: 'Boom', message: 'no' };

describe('grades: what later facts and silence make of a verdict', () => {
  let database: TestDatabase;
  let world: World;

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  async function begin(level: Level, changes: Partial<QueuePolicy> = {}): Promise<void> {
    world = new World(database.url, fixedPolicies({ idempotent: true, leaseMs: LEASE, ...changes }, level));
    await world.startClock(T0);
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1 });
  }

  async function runAt(ms: number): Promise<void> {
    await world.at(T0 + ms);
    while ((await world.run()).looked > 0);
  }

  const beat = (more: object = {}) => world.send({ type: 'heartbeat', job: 'a', ...w1, attempt: 1, ...more });
  const grades = async () =>
    (
      await world.database.query<{ kind: string; reason: string; attempt: number; grade: string }>(
        `SELECT kind, reason, attempt, grade FROM jobwarden.verdicts ORDER BY verdict_id`,
      )
    ).map((v) => `${v.kind} ${v.reason} ${String(v.attempt)} ${v.grade}`);

  it('confirm a would-have by ten more thresholds of silence, and not a moment before', async () => {
    await begin('observe');
    await runAt(LEASE);
    await runAt(11 * LEASE - 1);
    expect(await grades()).toEqual(['would-have lost 1 open']);
    await runAt(11 * LEASE);
    expect(await grades()).toEqual(['would-have lost 1 confirmed']);
    // Confirmed, but nobody has done anything about it: it is as stuck as before.
    expect(await pgReadModels(world.database).queues.one('default', 'q')).toMatchObject({ suspected: 1 });
  });

  it('do not take for silence what has not been read yet', async () => {
    await begin('observe');
    await runAt(LEASE);
    await world.at(T0 + 10 * LEASE);
    const leave = world.clock.enter();
    await runAt(12 * LEASE);
    expect(await grades()).toEqual(['would-have lost 1 open']);
    leave();
    await runAt(12 * LEASE);
    expect(await grades()).toEqual(['would-have lost 1 confirmed']);
  });

  it('let a heartbeat overrule what silence had confirmed', async () => {
    await begin('observe');
    await runAt(LEASE);
    await runAt(11 * LEASE);
    await beat();
    expect(await grades()).toEqual(['would-have lost 1 wrong']);
  });

  it('let the end of the attempt overrule what a later start had confirmed', async () => {
    await begin('observe');
    await runAt(LEASE);
    await world.send({ type: 'started', job: 'a', ...w2, attempt: 2 });
    expect(await grades()).toEqual(['would-have lost 1 confirmed']);
    await world.send({ type: 'succeeded', job: 'a', ...w2, attempt: 2 });
    await world.send({ type: 'succeeded', job: 'a', ...w1, attempt: 1 });
    expect(await grades()).toEqual(['would-have lost 1 wrong']);
  });

  it('find a hung attempt wrong by its end, and not by its heartbeats', async () => {
    await begin('observe', { hardTimeoutMs: 60_000 });
    for (const ms of [20_000, 40_000, 60_000, 80_000]) {
      await world.at(T0 + ms);
      await beat();
      await runAt(ms);
    }
    expect(await grades()).toEqual(['would-have hung 1 open']);
    await world.send({ type: 'failed', job: 'a', ...w1, error });
    expect(await grades()).toEqual(['would-have hung 1 wrong', ...(await grades()).slice(1)]);
  });

  it('find it wrong to have given a job up that was run again', async () => {
    await begin('observe', { maxRetries: 0 });
    await world.send({ type: 'failed', job: 'a', ...w1, error });
    await runAt(0);
    await world.send({ type: 'started', job: 'a', ...w2, attempt: 2 });
    expect(await grades()).toEqual(['would-have failed 1 wrong']);
  });

  describe('of acts', () => {
    async function requeued(changes: Partial<QueuePolicy> = {}): Promise<void> {
      await begin('act', changes);
      await runAt(LEASE);
      await runAt(LEASE + 15_000);
    }

    it('are not confirmed by the start that they led to themselves, but by silence', async () => {
      await requeued();
      expect(await world.job('a')).toMatchObject({ status: 'requeued', attempt: 2 });
      await world.send({ type: 'started', job: 'a', ...w2, attempt: 2 });
      await world.send({ type: 'succeeded', job: 'a', ...w2, attempt: 2 });
      expect(await grades()).toEqual(['act lost 1 open']);
      await runAt(LEASE + 15_000 + 10 * LEASE);
      expect(await grades()).toEqual(['act lost 1 confirmed']);
    });

    it.each([
      ['a heartbeat', () => beat()],
      ['a heartbeat of its worker', () => world.send({ type: 'jobwarden.worker.heartbeat.v1', job: 'w1', ...w1, jobs: [{ queue: 'q', id: 'a', attempt: 1 }] })],
      ['a success', () => world.send({ type: 'succeeded', job: 'a', ...w1, attempt: 1 })],
      ['a failure', () => world.send({ type: 'failed', job: 'a', ...w1, attempt: 1, error })],
    ])('are wrong by %s of the attempt that was given up', async (_, sign) => {
      await requeued();
      await sign();
      expect((await grades())[0]).toBe('act lost 1 wrong');
    });

    it('are wrong by a success that comes after the dead letter, or after somebody else’s success', async () => {
      await requeued({ maxRetries: 0 });
      expect(await world.job('a')).toMatchObject({ status: 'dead-lettered' });
      await beat();
      expect(await grades()).toEqual(['act lost 1 wrong']);
    });

    it('are not wrong because a hung worker beats on, or fails when it is told to stop', async () => {
      await begin('act', { hardTimeoutMs: 40_000 });
      for (const ms of [20_000, 40_000, 56_000]) {
        await world.at(T0 + ms);
        await beat();
        await runAt(ms);
      }
      await beat();
      await world.send({ type: 'failed', job: 'a', ...w1, attempt: 1, error });
      expect((await grades())[0]).toBe('act hung 1 open');
      await world.send({ type: 'succeeded', job: 'a', ...w1, attempt: 1 });
      expect((await grades())[0]).toBe('act hung 1 wrong');
    });

    it('are left alone where the old worker was told in time and the request was withdrawn', async () => {
      await begin('act');
      await runAt(LEASE);
      await world.at(T0 + LEASE + 5_000);
      await beat();
      await runAt(LEASE + 5_000);
      expect(await world.job('a')).toMatchObject({ status: 'processing', attempt: 1 });
      expect(await grades()).toEqual([]);
    });
  });
});
