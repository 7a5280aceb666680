import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUSEKEEPING_AGES, type OutcomeStore } from '#libs/application';
import { World, fixedPolicies, useTestDatabase } from '#libs/testing';
import { PgHousekeeping } from '../housekeeping/pg-housekeeping.js';
import { sumUpOutcomes } from './sum-up.js';
import { PgOutcomeStore } from './pg-outcome-store.js';

/** A multiple of 5 minutes. */
const T0 = 1_700_000_100_000;
const w1 = { worker: { id: 'w1', revision: '2.0', track: 'canary' } };
const w2 = { worker: { id: 'w2', revision: '1.0' } };
const error = { error: { class: 'Error', message: 'no' } };
const EVER = { sinceMs: 0, untilMs: T0 * 2 };

describe('what is counted with the facts', () => {
  const place = useTestDatabase();
  let world: World;
  let store: OutcomeStore;

  beforeAll(async () => {
    world = new World(place.url, fixedPolicies({ idempotent: true, leaseMs: 30_000 }, 'act'));
    store = new PgOutcomeStore(world.database);
    await world.startClock(T0);
  });
  afterAll(async () => {
    await world.close();
  });

  const rates = async (sinceMs: number, untilMs: number) => {
    const [queue] = await store.rates({ sinceMs, untilMs });
    return queue;
  };

  it('is what happened, by the lane time of each event and by whoever did it', async () => {
    await world.send({ type: 'queued', job: 'a', kind: 'mail' }, { type: 'queued', job: 'b', kind: 'mail' });
    await world.send({ type: 'started', job: 'a', ...w1 }, { type: 'started', job: 'b', ...w2, leaseMs: 1_000 });
    await world.at(T0 + 10_000);
    // Whoever names no worker is the one that has started.
    await world.send({ type: 'failed', job: 'a', ...error }, { type: 'succeeded', job: 'b', worker: { id: 'w2' } });
    const first = await rates(T0, T0 + 10_000);
    expect(first?.counts).toMatchObject({ queued: 2, started: 2, succeeded: 0, failed: 0 });
    const second = await rates(T0 + 10_000, T0 + 20_000);
    expect(second?.revisions.map(({ revision, track, counts: { succeeded, failed } }) => ({ revision, track, succeeded, failed }))).toEqual([
      { revision: '1.0', track: '', succeeded: 1, failed: 0 },
      { revision: '2.0', track: 'canary', succeeded: 0, failed: 1 },
    ]);
    expect(await rates(T0 + 20_000, T0 * 2)).toBeUndefined();
    expect(await store.nowMs()).toBe(T0 + 10_000);
  });

  it('counts a lost lease against whoever held it, and an attempt that was claimed and started once', async () => {
    await world.at(T0 + 60_000);
    const since = T0 + 60_000;
    await world.send({ type: 'queued', job: 'c' }, { type: 'claimed', job: 'c', ...w1, leaseMs: 5_000 });
    await world.at(T0 + 61_000);
    await world.send({ type: 'started', job: 'c', ...w1, leaseMs: 5_000 });
    await world.at(T0 + 80_000);
    await world.run();
    const found = await rates(since, T0 + 90_000);
    expect(found?.revisions.find((r) => r.revision === '2.0')?.counts).toMatchObject({ started: 1, lost: 1 });
    expect(found?.counts.lost).toBe(1);
  });

  it('tells what contradicts what was told before', async () => {
    await world.at(T0 + 120_000);
    await world.send({ type: 'queued', job: 'd' }, { type: 'started', job: 'd', ...w2 });
    await world.send({ type: 'succeeded', job: 'd', ...w2 });
    await world.send({ type: 'failed', job: 'd', ...w2, ...error });
    expect((await rates(T0 + 120_000, T0 + 130_000))?.counts).toMatchObject({ succeeded: 1, failed: 1, contradicted: 1 });
  });

  it('is asked of some queues, or of all', async () => {
    await world.send({ type: 'queued', job: 'e', queue: 'other' });
    expect((await store.rates(EVER)).map((r) => r.queue)).toEqual(['other', 'q']);
    const only = await store.rates({ ...EVER, queues: [{ namespace: 'default', queue: 'other' }] });
    expect(only.map((r) => r.queue)).toEqual(['other']);
    expect(await store.rates({ ...EVER, queues: [{ namespace: 'elsewhere', queue: 'q' }] })).toEqual([]);
  });

  it('is summed up over shards and stretches when it is old, and the sums stay the same', async () => {
    const before = await store.rates(EVER);
    const rows = async () => await world.database.query<{ shard: number }>('SELECT shard FROM jobwarden.outcomes WHERE slot_ms < $1', [T0 + 300_000]);
    expect((await rows()).length).toBeGreaterThan(8);
    await sumUpOutcomes(world.database, T0 + 299_999);
    expect((await rows()).some((r) => r.shard >= 0)).toBe(true);
    await sumUpOutcomes(world.database, T0 + 300_001);
    // What a lane that was far behind brings later is added.
    await world.send({ type: 'queued', job: 'late', kind: 'mail' });
    await sumUpOutcomes(world.database, T0 + 300_001);
    expect((await rows()).every((r) => r.shard === -1)).toBe(true);
    const after = await store.rates(EVER);
    const sums = (found: typeof before) => found.map((q) => [q.queue, q.counts, q.revisions.map((r) => [r.revision, r.track, r.counts]).sort()]);
    expect(after.find((q) => q.queue === 'q')?.counts.queued).toBe((before.find((q) => q.queue === 'q')?.counts.queued ?? 0) + 1);
    expect(sums(after).filter(([queue]) => queue === 'other')).toEqual(sums(before).filter(([queue]) => queue === 'other'));
  });

  it('tells apart only so many revisions of a queue at once, and lets a new one in where an old one is forgotten', async () => {
    const from = T0 + 400_000;
    await world.at(from);
    const start = async (n: number) =>
      await world.send({ type: 'started', job: `r${String(n)}`, queue: 'many', worker: { id: 'w', revision: `r${String(n)}` } });
    const found = async (ms: number) => {
      const [many] = await store.rates({ sinceMs: ms, untilMs: ms + 10_000, queues: [{ namespace: 'default', queue: 'many' }] });
      return many?.revisions.map((r) => r.revision) ?? [];
    };
    for (let n = 0; n < 40; n += 1) await start(n);
    expect(await found(from)).toHaveLength(33);
    expect(await found(from)).toContain('other');
    await world.at(from + 3_600_000);
    await start(41);
    expect(await found(from + 3_600_000)).toEqual(['r41']);
  });

  it('keeps a sample of a worker in each stretch, and an hour of them', async () => {
    const beat = async (heapUsed: number) =>
      await world.send({
        type: 'jobwarden.worker.heartbeat.v1',
        job: 'w1',
        worker: { id: 'w1', revision: '2.0' },
        jobs: [{ queue: 'q', id: 'a', attempt: 1 }],
        runtime: { heapUsed, heapLimit: 1e9, lockWaits: [{ resource: 'r', waitedMs: 1 }, { resource: 's', holder: 'w2', waitedMs: 9 }] },
      });
    const from = T0 + 9_000_000;
    for (const [ms, heap] of [[0, 1], [14_999, 2], [15_000, 3], [29_000, 4], [46_000, 5]] as const) {
      await world.at(from + ms);
      await beat(heap);
    }
    const samples = async () =>
      await world.database.query('SELECT slot_ms - $1 AS ms, worker_id, revision, queues, heap_used, lock_waits FROM jobwarden.worker_samples ORDER BY slot_ms', [from]);
    const told = { worker_id: 'w1', revision: '2.0', queues: ['q'], lock_waits: '[{"resource":"s","holder":"w2","waitedMs":9},{"resource":"r","waitedMs":1}]' };
    expect(await samples()).toEqual([
      { ms: 0, heap_used: 1, ...told },
      { ms: 15_000, heap_used: 3, ...told },
      { ms: 45_000, heap_used: 5, ...told },
    ]);
    // As if the last one had been taken just now.
    await world.database.query(`UPDATE jobwarden.installation SET clock_mode = 'real'`);
    await world.database.query(`UPDATE jobwarden.worker_samples SET slot_ms = slot_ms - $1 + jobwarden.lane_now() - 3620000`, [from]);
    await new PgHousekeeping(world.database).run({ ...HOUSEKEEPING_AGES, retentionMs: 30 * 86_400_000 });
    expect(await samples()).toHaveLength(1);
    expect(await store.rates({ sinceMs: 0, untilMs: T0 * 2 })).toEqual([]);
  });
});
