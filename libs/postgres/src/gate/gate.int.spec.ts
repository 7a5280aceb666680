import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueueName } from '#libs/application';
import { runTimeBucket, type GateSpan } from '#libs/domain';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { sumUpOutcomes } from '../outcomes/sum-up.js';
import { PgGateReads } from './pg-gate-reads.js';
import { PgGateStore } from './pg-gate-store.js';

/** A multiple of 5 minutes. */
const T0 = 1_700_000_100_000;
const canary = { worker: { id: 'c', revision: '2.0', track: 'canary' } };
const stable = { worker: { id: 's', revision: '1.0', track: 'stable' } };
const Q = [{ namespace: 'default', queue: 'q' }];

describe('what canary and stable did', () => {
  const place = useTestDatabase();
  let world: World;
  let reads: PgGateReads;

  beforeAll(async () => {
    world = new World(place.url, fixedPolicies({ idempotent: true, leaseMs: 30_000 }, 'act'));
    reads = new PgGateReads(world.database);
    await world.startClock(T0);
  });
  afterAll(async () => {
    await world.close();
  });

  let jobs = 0;
  const done = async (worker: object, durationMs: number, queue = 'q') => {
    jobs += 1;
    const job = `j${String(jobs)}`;
    await world.send({ type: 'queued', job, kind: 'mail', queue }, { type: 'started', job, queue, ...worker }, { type: 'succeeded', job, queue, ...worker, durationMs });
  };
  const runTimes = async (span: Partial<GateSpan> = {}) =>
    (await reads.rows(Q, { sinceMs: T0, fromMs: T0, toMs: T0 + 600_000, slotMs: 10_000, ...span })).runTimes;

  it('has no run times as long as nobody is there to compare', async () => {
    await done(stable, 100);
    await done({}, 100);
    expect(await runTimes()).toEqual([]);
    expect(await reads.seen(Q)).toEqual([{ revision: '1.0', track: 'stable', firstMs: T0, lastMs: T0 }]);
  });

  it('has the run times of both sides from when the canary was first heard of', async () => {
    await world.at(T0 + 10_000);
    await done(canary, 100);
    await world.at(T0 + 20_000);
    for (const ms of [100, 100, 3_000]) await done(stable, ms);
    await done(canary, 9_000);
    const rows = (await runTimes({ fromMs: T0 + 20_000 })).toSorted((a, b) => a.bucket - b.bucket || (a.revision < b.revision ? -1 : 1));
    const row = (revision: string, track: string, ms: number, count: number) => ({ slotMs: T0 + 20_000, kind: 'mail', revision, track, bucket: runTimeBucket(ms), count });
    expect(rows).toEqual([row('1.0', 'stable', 100, 2), row('1.0', 'stable', 3_000, 1), row('2.0', 'canary', 9_000, 1)]);
    const { counts } = await reads.rows(Q, { sinceMs: T0, fromMs: T0 + 20_000, toMs: T0 + 30_000, slotMs: 10_000 });
    expect(counts.map(({ track, succeeded }) => [track, succeeded]).toSorted()).toEqual([['canary', 1], ['stable', 3]]);
  });

  it('stays the same when it is summed up, in the stretches that are asked for', async () => {
    await world.at(T0 + 310_000);
    await done(canary, 100);
    const sums = async () => {
      const { counts, runTimes: times } = await reads.rows(Q, { sinceMs: T0, fromMs: T0, toMs: T0 + 600_000, slotMs: 300_000 });
      return [counts, times].map((some) => some.map((row) => JSON.stringify(row)).toSorted());
    };
    const before = await sums();
    await sumUpOutcomes(world.database, T0 + 600_000);
    const shards = await world.database.query<{ shard: number }>('SELECT DISTINCT shard FROM jobwarden.outcome_run_times');
    expect(shards).toEqual([{ shard: -1 }]);
    expect(await sums()).toEqual(before);
    expect(before[0]?.length).toBe(3);
  });

  it('tells the kinds of several queues apart', async () => {
    await done(canary, 100, 'other');
    const both = [...Q, { namespace: 'default', queue: 'other' }];
    const { counts } = await reads.rows(both, { sinceMs: T0, fromMs: T0, toMs: T0 + 600_000, slotMs: 300_000 });
    expect(new Set(counts.map((c) => c.kind))).toEqual(new Set(['default/q mail', 'default/other mail']));
    expect(await reads.queues(['default'])).toEqual([{ namespace: 'default', queue: 'other' }, { namespace: 'default', queue: 'q' }]);
    expect(await reads.queues(['acme'])).toEqual([]);
  });

  it('has lost leases and dead letters, each as what it is and against whoever held it', async () => {
    const began = T0 + 700_000;
    const queue = 'ends';
    const start = async (job: string, worker: object, leaseMs: number) => {
      await world.send({ type: 'queued', job, kind: 'mail', queue }, { type: 'started', job, queue, ...worker, leaseMs });
    };
    await world.at(began);
    for (const [job, worker] of [['lost-1', canary], ['lost-2', canary], ['lost-3', stable]] as const) await start(job, worker, 5_000);
    await start('dead', canary, 60_000);
    await world.at(began + 40_000);
    await world.run();
    await world.at(began + 50_000);
    await world.send({ type: 'failed', job: 'dead', queue, ...canary, retryable: false, error: { class: 'E', message: 'no' } });
    await world.run();
    const { counts } = await reads.rows([{ namespace: 'default', queue }], { sinceMs: T0, fromMs: began, toMs: began + 100_000, slotMs: 10_000 });
    const row = (slotMs: number, side: readonly [string, string], ends: object) => ({
      ...{ slotMs, kind: 'mail', revision: side[0], track: side[1], succeeded: 0, failed: 0, lost: 0, deadLettered: 0 },
      ...ends,
    });
    const ended = counts.filter(({ succeeded, failed, lost, deadLettered }) => succeeded + failed + lost + deadLettered > 0);
    expect(ended.toSorted((a, b) => a.slotMs - b.slotMs || (a.revision < b.revision ? 1 : -1))).toEqual([
      row(began + 40_000, ['2.0', 'canary'], { lost: 2 }),
      row(began + 40_000, ['1.0', 'stable'], { lost: 1 }),
      row(began + 50_000, ['2.0', 'canary'], { failed: 1, deadLettered: 1 }),
    ]);
  });
});

describe('what the gate remembers', () => {
  const place = useTestDatabase();
  let world: World;
  let store: PgGateStore;

  beforeAll(async () => {
    world = new World(place.url, fixedPolicies());
    store = new PgGateStore(world.database);
    await world.startClock(T0);
  });
  afterAll(async () => {
    await world.close();
  });

  it('is since when a rollout is judged: since its checksum was first seen, or since it was asked for anew', async () => {
    const began = async (checksum: string, anew = false) => await store.rolloutBegan({ namespace: 'shop', name: 'mailer', scope: { target: null, queue: Q[0] as QueueName }, seenBy: 'all', checksum, anew });
    expect(await began('a')).toBe(T0);
    await world.at(T0 + 5_000);
    expect(await began('a')).toBe(T0);
    expect(await began('b')).toBe(T0 + 5_000);
    await world.at(T0 + 9_000);
    expect(await began('b')).toBe(T0 + 5_000);
    expect(await began('b', true)).toBe(T0 + 9_000);
    expect(await store.rolloutBegan({ namespace: 'other', name: 'mailer', scope: { target: 't', queue: null }, seenBy: 'all', checksum: 'b', anew: false })).toBe(T0 + 9_000);
  });

  it('is what was let through, of two the one that holds longer', async () => {
    const decision = { reason: 'why', by: 'ada' };
    const short = await store.override({ scope: { target: 'shop/mailer', queue: null }, ...decision, untilMs: T0 + 20_000 });
    const long = await store.override({ scope: { target: null, queue: { namespace: 'default', queue: 'q' } }, ...decision, untilMs: T0 + 60_000 });
    expect(await store.standing('shop/mailer', [])).toEqual(short);
    expect(await store.standing('shop/mailer', Q)).toEqual(long);
    expect(await store.standing('shop/other', [])).toBeNull();
    await world.at(T0 + 30_000);
    expect(await store.standing('shop/mailer', [])).toBeNull();
    const page = await store.overrides('all', { limit: 1, after: null });
    expect(page).toEqual({ items: [long], next: long.id });
    expect((await store.overrides('all', { limit: 1, after: page.next })).items).toEqual([short]);
    expect((await store.overrides(['acme'], { limit: 9, after: null })).items).toEqual([]);
  });
});
