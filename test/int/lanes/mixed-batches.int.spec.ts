// A batch brings everything: facts, heartbeats, queue states, and what nobody can read. One broken record never holds
// up the next.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#libs/testing';
import { batch, LaneWorld, partition, record, T0 } from './lane-world.js';

let database: TestDatabase;
let world: LaneWorld;

beforeEach(async () => {
  database = await createTestDatabase();
  world = new LaneWorld(database.url);
});
afterEach(async () => {
  await world.inner.close();
  await database.drop();
});

const worker = { id: 'w1', incarnation: 'i1' };

it('what cannot be read is kept with where it came from and as it came, and the next record is stored (D3)', async () => {
  const { lanes, results } = world.reader();
  await lanes.assigned([partition()]);
  const broken: readonly (readonly [Buffer | null, string])[] = [
    [Buffer.from('{"specversion":"1.0",'), 'unreadable'],
    [Buffer.from([0x7b, 0xff, 0xfe, 0x00]), 'unreadable'],
    [null, 'unreadable'],
    [world.event('jobwarden.job.vanished.v1', 'j'), 'unknown_type'],
    [world.event('started', 'j', { attempt: 'first' }), 'schema'],
    [world.event('jobwarden.job.requeued.v1', 'j'), 'decision_from_outside'],
    [world.event('queued', 'j', { payload: 'x'.repeat(20_000) }), 'too_large'],
  ];
  const records = broken.flatMap(([value], n) => [
    record(n * 2, value, { key: `/q/broken-${n}` }),
    record(n * 2 + 1, world.event('queued', `good-${n}`, {}, `good-${n}`)),
  ]);
  // Ten times, as after rebalances: each is kept once.
  for (let n = 0; n < 10; n++) await lanes.batch(batch(records)).then(() => lanes.assigned([partition()]));
  const kept = await world.quarantined();
  const { lane } = await world.lane();
  expect(kept.map(({ origin, reason }) => [origin, reason])).toEqual(broken.map(([, reason], n) => [`events/3@${n * 2}`, reason]));
  expect(kept.every((row) => row.lane === lane)).toBe(true);
  expect(kept[0]!.bytes).toEqual(broken[0]![0]);
  expect(kept[1]!.bytes).toEqual(broken[1]![0]);
  // Verdicts on the job that the key names have to wait for it.
  expect(kept.slice(0, 2).map(({ job }) => job)).toEqual(['broken-0', 'broken-1']);
  expect(await world.ids()).toEqual(broken.map((_, n) => `good-${n}`));
  expect(results.map(({ outcome }) => outcome)).toEqual(broken.flatMap(() => ['quarantined', 'appended']));
  expect((await world.lane()).next).toBe(records.length);
});

it('a reused id is kept, and the rest of its batch is stored once, though the batch comes again', async () => {
  const { lanes } = world.reader();
  await lanes.assigned([partition()]);
  const records = [
    record(0, world.event('queued', 'a', {}, 'one')),
    record(1, world.event('queued', 'a', { kind: 'other' }, 'one')),
    record(2, world.event('queued', 'b', {}, 'two')),
  ];
  for (let n = 0; n < 3; n++) {
    await lanes.batch(batch(records));
    await world.rows(`UPDATE jobwarden.lanes SET next = 0 WHERE lane >= 2`);
    await lanes.assigned([partition()]);
  }
  expect(await world.ids()).toEqual(['one', 'two']);
  expect(await world.quarantined()).toMatchObject([{ origin: 'events/3@1', reason: 'id_reused' }]);
});

it('heartbeats renew leases at the time of the broker, those of a worker too, and queue states are recorded', async () => {
  const { lanes, results } = world.reader();
  await lanes.assigned([partition()]);
  await lanes.batch(batch([record(0, world.event('queued', 'a')), record(1, world.event('queued', 'b'))]));
  await lanes.batch(
    batch([
      record(2, world.event('started', 'a', { worker })),
      record(3, world.event('started', 'b', { worker })),
      record(4, world.event('heartbeat', 'a', { worker }), { timeMs: T0 + 5_000 }),
      record(5, world.event('jobwarden.worker.heartbeat.v1', 'w1', { worker, jobs: [{ queue: 'q', id: 'b', attempt: 1 }] }), {
        timeMs: T0 + 6_000,
      }),
      record(6, world.event('jobwarden.queue.state.v1', 'q', { waiting: 12 })),
      record(7, Buffer.from('not json')),
      record(8, world.event('queued', 'c')),
    ]),
  );
  expect(results.map(({ outcome }) => outcome)).toEqual([
    ...['appended', 'appended', 'appended', 'appended'],
    ...['recorded', 'recorded', 'recorded', 'quarantined', 'appended'],
  ]);
  const { lane, next } = await world.lane();
  expect(next).toBe(9);
  const leases = await world.rows(`SELECT beat_ms AS ms, lane FROM jobwarden.leases ORDER BY beat_ms`);
  expect(leases).toEqual([
    { ms: T0 + 5_000, lane },
    { ms: T0 + 6_000, lane },
  ]);
  expect(await world.rows(`SELECT waiting FROM jobwarden.queue_states`)).toEqual([{ waiting: 12 }]);
  expect((await world.quarantined()).map(({ origin }) => origin)).toEqual(['events/3@7']);
});

it('several first beats of one job lie in one batch after an outage: the newest counts, and the lane goes on', async () => {
  const { lanes, results } = world.reader();
  await lanes.assigned([partition()]);
  const beat = (offset: number, data: object, ms: number) =>
    record(offset, world.event('heartbeat', 'a', { worker, ...data }), { timeMs: T0 + ms });
  await lanes.batch(
    batch([
      record(0, world.event('queued', 'a')),
      record(1, world.event('started', 'a', { worker })),
      beat(2, { leaseMs: 9_000, progress: { done: 1 } }, 1_000),
      beat(3, { leaseMs: 8_000 }, 3_000),
      beat(4, { leaseMs: 7_000 }, 2_000),
    ]),
  );
  expect(results.map(({ outcome }) => outcome)).toEqual(['appended', 'appended', 'recorded', 'recorded', 'recorded']);
  expect((await world.lane()).next).toBe(5);
  const leases = await world.rows(`SELECT beat_ms AS ms, lease_ms AS lease FROM jobwarden.leases`);
  expect(leases).toEqual([{ ms: T0 + 3_000, lease: 8_000 }]);
});

it('an event may come as data with its attributes in headers', async () => {
  const { lanes, results } = world.reader();
  await lanes.assigned([partition()]);
  const headers = {
    ce_specversion: '1.0',
    ce_type: 'jobwarden.job.queued.v1',
    ce_id: 'binary',
    ce_source: 'test',
    ce_subject: 'a%2Fb é',
    'content-type': 'application/json',
  };
  await lanes.batch(batch([record(0, Buffer.from('{"queue":"q"}'), { headers })]));
  expect(results).toMatchObject([{ id: 'binary', outcome: 'appended' }]);
  // Headers of Kafka are UTF-8 as they stand; only HTTP escapes them.
  expect(await world.inner.job('a%2Fb é')).toMatchObject({ status: 'queued' });
});
