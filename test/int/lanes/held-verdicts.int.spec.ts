// A verdict waits for the partition that is furthest behind, and says so.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pgReadModels } from '#libs/postgres';
import { createTestDatabase, type TestDatabase } from '#libs/testing';
import { batch, LaneWorld, NAME, partition, record, T0, tick } from './lane-world.js';

const OTHER = 'kafka/events/4';
const LEASE = 30_000;
let database: TestDatabase;
let world: LaneWorld;

beforeEach(async () => {
  database = await createTestDatabase();
  world = new LaneWorld(database.url);
  await world.inner.startClock(T0);
});
afterEach(async () => {
  await world.inner.close();
  await database.drop();
});

describe('a verdict on a job that is told of by a broker', () => {
  it('is held by the lane that has not been read up to it, shown as unresolved, and given once it has', async () => {
    const { lanes } = world.reader();
    await lanes.assigned([partition(), partition({ name: OTHER })]);
    const started = { worker: { id: 'w1' }, leaseMs: LEASE };
    await lanes.batch(batch([record(0, world.event('queued', 'a')), record(1, world.event('started', 'a', started))]));
    await lanes.batch(batch([tick(0, T0)], 1, OTHER));
    await lanes.flush();
    await world.inner.at(T0 + LEASE + 1);
    // The partition of the job is read as far as its deadline; a heartbeat may still lie in the other.
    await lanes.batch(batch([tick(2, T0 + LEASE + 1)]));
    await lanes.flush();
    expect((await world.inner.run()).rows).toMatchObject([{ outcome: 'held', heldBy: `lane:${OTHER}` }]);
    expect(await world.inner.job('a')).toMatchObject({ status: 'processing', heldBy: `lane:${OTHER}` });

    await world.inner.at(T0 + LEASE + 60_001);
    const run = await world.inner.run({ requested: true });
    const held = { outcome: 'held', heldBy: `lane:${OTHER}`, unresolved: true, heldMs: 60_000 };
    expect(run.rows).toMatchObject([held]);
    const { reconciliations, queues } = pgReadModels(world.inner.database);
    expect(await reconciliations.unresolved('default')).toEqual({ count: 1, oldestMs: 60_000 });
    const shown = await reconciliations.one(String(run.id));
    expect(shown?.rows).toMatchObject([held]);
    const replica = '00000000-0000-4000-8000-000000000001';
    await world.asOwner(`UPDATE jobwarden.publishers SET holder = '${replica}' WHERE shard = 0`);
    expect(await queues.exported(replica)).toMatchObject([{ queue: 'q', oldestUnresolvedMs: 60_000 }]);

    await lanes.batch(batch([tick(1, T0 + LEASE + 60_000)], 2, OTHER));
    await lanes.batch(batch([tick(3, T0 + LEASE + 60_000)]));
    await lanes.flush();
    await world.inner.at(T0 + LEASE + 61_000);
    expect((await world.inner.run()).rows).toMatchObject([{ outcome: 'would-have', verdict: 'lost', heldBy: null }]);
    expect(await reconciliations.unresolved('default')).toEqual({ count: 0, oldestMs: null });
  });

  it('is none when the heartbeat lay in the lane that was behind', async () => {
    const { lanes } = world.reader();
    await lanes.assigned([partition()]);
    const started = { worker: { id: 'w1' }, leaseMs: LEASE };
    await lanes.batch(batch([record(0, world.event('queued', 'a')), record(1, world.event('started', 'a', started))]));
    await world.inner.at(T0 + LEASE + 1_000);
    expect((await world.inner.run()).rows).toMatchObject([{ outcome: 'held', heldBy: `lane:${NAME}` }]);
    const beat = record(2, world.event('heartbeat', 'a', started), { timeMs: T0 + 20_000 });
    await lanes.batch(batch([beat, tick(3, T0 + LEASE + 1_000)]));
    await world.inner.at(T0 + LEASE + 2_000);
    expect((await world.inner.run()).rows).toEqual([]);
    expect(await world.inner.job('a')).toMatchObject({ status: 'processing', heldBy: null, lookAtMs: T0 + 20_000 + LEASE });
  });
});
