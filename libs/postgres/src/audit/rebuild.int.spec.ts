import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Rebuild, RebuildSchedules, type PolicySource } from '#libs/application';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { Database } from '../database.js';
import { auditOf, expectClean, history, SHARDS } from './audit.fixture.js';
import { PgAuditStore } from './pg-audit-store.js';

const T0 = 1_800_000_000_000;
const HOUR = 3_600_000;

describe('rebuilding', () => {
  const database = useTestDatabase();
  let world: World;
  let owner: Database;

  beforeAll(() => {
    world = new World(database.url, fixedPolicies({ idempotent: true }, 'act'));
    owner = new Database({ url: database.url, poolSize: 2 });
  });
  afterAll(async () => {
    await world.close();
    await owner.close();
  });

  const rebuild = (policies: PolicySource | null = world.policies) =>
    new Rebuild(new PgAuditStore(world.database, SHARDS), policies === null ? null : { log: world.log, policies });

  it('while writers go on, audits clean all the time, and ends as the log says', async () => {
    await history(world, 'first', 30);
    let writing = true;
    const writers = [0, 1, 2].map(async (w) => {
      for (let i = 0; writing; i += 1) await history(world, `w${w}-${i}`, 8);
    });
    try {
      const seen: number[] = [];
      for (let i = 0; i < 5; i += 1) {
        const report = await auditOf(world).run({ scope: 'all', repair: true });
        expect(report.findings).toEqual([]);
        seen.push(report.events);
      }
      // Or nobody was writing, and the audits proved nothing.
      expect(seen.at(-1)).toBeGreaterThan(seen[0]!);
      await owner.query(`UPDATE jobwarden.jobs SET state = '{"f":1}', status = 'queued' WHERE job_id LIKE 'first-%'`);
      await owner.query('UPDATE jobwarden.queue_counters SET retries = retries + 1, queued = queued + 7');
      const outcome = await rebuild().run();
      expect(outcome).toMatchObject({ kind: 'done', rewritten: 30 });
    } finally {
      writing = false;
      await Promise.all(writers);
    }
    await expectClean(world);
  });

  it('is idempotent', async () => {
    await rebuild().run();
    expect(await rebuild().run()).toEqual({ kind: 'done', rewritten: 0, corrected: 0, rescheduled: 0 });
  });

  it('without policies has rewritten jobs looked at at once, by whoever knows them', async () => {
    await world.send({ type: 'queued', job: 'soon' }, { type: 'started', job: 'soon', worker: { id: 'w1' } });
    await owner.query(`UPDATE jobwarden.jobs SET state = '{"f":1}', look_at_ms = NULL WHERE job_id = 'soon'`);
    expect(await rebuild(null).run()).toMatchObject({ kind: 'done', rewritten: 1, rescheduled: null });
    const { lookAtMs, waitsFor } = await world.job('soon');
    expect({ waitsFor, due: (lookAtMs ?? Infinity) <= Date.now() }).toEqual({ waitsFor: 'decision', due: true });
    await world.read();
    await world.run();
    expect(await world.job('soon')).toMatchObject({ status: 'processing', waitsFor: 'stuck-after' });
  });

  it('is refused to a program older than the rows', async () => {
    await owner.query(`UPDATE jobwarden.jobs SET fold_version = 2 WHERE job_id = 'soon'`);
    expect(await rebuild().run()).toMatchObject({ kind: 'refused', code: 'newer_rows', foldVersion: 2 });
    await owner.query(`UPDATE jobwarden.jobs SET fold_version = 1`);
  });

  it('folds rows of an older fold anew, which an audit does not take for drift', async () => {
    await owner.query(
      `UPDATE jobwarden.jobs SET fold_version = 0, state = '{"f":1}', look_at_ms = 1 WHERE job_id = 'soon'`,
    );
    const before = await auditOf(world).run({ scope: { sample: 100_000 } });
    expect(before.drifted).toBe(0);
    expect(await rebuild().run()).toMatchObject({ kind: 'done', rewritten: 1 });
    await expectClean(world);
  });
});

describe('schedules after a change of the policy', () => {
  const database = useTestDatabase();
  let world: World;
  const worker = { worker: { id: 'w1' } };
  const fixed = (ms: number) => ({ stuckAfter: { mode: 'fixed', ms } as const });

  beforeAll(async () => {
    world = new World(database.url, fixedPolicies(fixed(HOUR)));
    await world.startClock(T0);
  });
  afterAll(async () => {
    await world.close();
  });

  const reschedule = (
    policies: PolicySource,
    queues: 'all' | readonly { namespace: string; queue: string }[] = 'all',
  ) => new RebuildSchedules(new PgAuditStore(world.database, SHARDS), world.log, policies).run({ queues });

  it('follow the policy for what is unfinished, and only for the queues it is about', async () => {
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...worker });
    await world.send({ type: 'queued', job: 'b' }, { type: 'succeeded', job: 'b', ...worker });
    expect((await world.job('a')).lookAtMs).toBe(T0 + HOUR);
    const longer = fixedPolicies(fixed(2 * HOUR));
    expect(await reschedule(longer, [{ namespace: 'default', queue: 'other' }])).toEqual({ looked: 0, rescheduled: 0 });
    expect(await reschedule(longer, [{ namespace: 'default', queue: 'q' }])).toEqual({ looked: 1, rescheduled: 1 });
    expect((await world.job('a')).lookAtMs).toBe(T0 + 2 * HOUR);
    expect(await reschedule(longer)).toEqual({ looked: 1, rescheduled: 0 });
  });

  it('begin where there was none, and end where there is none any more', async () => {
    await reschedule(fixedPolicies({ stuckAfter: { mode: 'off' } }));
    expect((await world.job('a')).lookAtMs).toBeNull();
    await reschedule(fixedPolicies(fixed(HOUR)));
    expect((await world.job('a')).lookAtMs).toBe(T0 + HOUR);
  });

  it('leave a job alone that rests on a would-have', async () => {
    await world.at(T0 + HOUR);
    await world.run();
    expect((await world.job('a')).lookAtMs).toBeNull();
    expect(await reschedule(fixedPolicies(fixed(HOUR / 2)))).toEqual({ looked: 0, rescheduled: 0 });
    await world.send({ type: 'heartbeat', job: 'a', leaseMs: 60_000, ...worker });
    expect((await world.job('a')).lookAtMs).toBe(T0 + HOUR + 60_000);
  });

  it('report a starved job once, then ever more rarely, also across the change', async () => {
    await world.send({ type: 'queued', job: 'waits' });
    const firstMs = T0 + HOUR + 600_000;
    expect((await world.job('waits')).lookAtMs).toBe(firstMs);
    await world.at(T0 + HOUR + 120_000);
    await reschedule(fixedPolicies({ startByMs: 60_000 }));
    expect((await world.job('waits')).lookAtMs).toBe(T0 + HOUR + 60_000);
    await reschedule(world.policies);
    await world.at(firstMs);
    await world.run();
    expect((await world.job('waits')).lookAtMs).toBe(T0 + HOUR + 1_200_000);
    expect((await reschedule(world.policies)).rescheduled).toBe(0);
  });
});
