// What a lane stores of facts, and that the position goes with them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#libs/application';
import { createTestDatabase, type TestDatabase } from '#libs/testing';
import { batch, LaneWorld, NAME, partition, record, T0 } from './lane-world.js';

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

const facts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => record(from + n, world.event('queued', `job-${from + n}`, {}, `id-${from + n}`)));

describe('a batch of facts', () => {
  it('is stored with the position in one transaction, and counts once however often it comes (D2)', async () => {
    const records = facts(20);
    for (let n = 0; n < 10; n++) {
      // Each time another reader, from the start: as after a rebalance that forgot every position.
      await world.rows(`UPDATE jobwarden.lanes SET next = 0 WHERE name = $1`, NAME);
      const { lanes, results } = world.reader();
      expect(await lanes.assigned([partition()])).toEqual([0]);
      await lanes.batch(batch(records, 25));
      const outcome = n === 0 ? 'appended' : 'duplicate';
      expect(results.map((result) => result.outcome)).toEqual(records.map(() => outcome));
      expect((await world.lane()).next).toBe(25);
    }
    expect(await world.ids()).toHaveLength(20);
    const [counted] = await world.rows(`SELECT sum(queued)::int AS n FROM jobwarden.queue_counters`);
    expect(counted).toEqual({ n: 20 });
  });

  it('brings the lane and the append time of the broker', async () => {
    const { lanes } = world.reader();
    await lanes.assigned([partition()]);
    await lanes.batch(batch(facts(3)));
    const { lane, readMs } = await world.lane();
    const rows = await world.rows(`SELECT lane, lane_ms AS ms FROM jobwarden.events WHERE source = 'test' ORDER BY lane_ms`);
    expect(rows).toEqual([0, 1, 2].map((n) => ({ lane, ms: T0 + n })));
    expect([lane, readMs]).toEqual([2, T0 + 2]);
  });

  it('that came before, in part, is stored from where the lane stands', async () => {
    const { lanes, results } = world.reader();
    await lanes.assigned([partition()]);
    const records = facts(10);
    await lanes.batch(batch(records.slice(0, 6)));
    await lanes.batch(batch(records));
    expect(results.map(({ outcome }) => outcome)).toEqual(records.map(() => 'appended'));
    await lanes.batch(batch(records));
    expect(results).toHaveLength(10);
  });

  it('larger than one transaction takes is stored in several, each with its position', async () => {
    const { lanes } = world.reader({ batchRecords: 4 });
    await lanes.assigned([partition()]);
    await lanes.batch(batch(facts(10), 12));
    expect([(await world.ids()).length, (await world.lane()).next]).toEqual([10, 12]);
  });

  it('that fails leaves neither events nor a position, and is stored when it comes again', async () => {
    const { lanes } = world.reader();
    await lanes.assigned([partition()]);
    await world.asOwner(`ALTER TABLE jobwarden.lanes ADD CONSTRAINT stuck CHECK (name <> '${NAME}' OR next = 0)`);
    await expect(lanes.batch(batch(facts(5)))).rejects.toThrow();
    expect([await world.ids(), (await world.lane()).next]).toEqual([[], 0]);
    await world.asOwner(`ALTER TABLE jobwarden.lanes DROP CONSTRAINT stuck`);
    await lanes.batch(batch(facts(5)));
    expect([(await world.ids()).length, (await world.lane()).next]).toEqual([5, 5]);
  });
});

describe('two readers of one lane', () => {
  const isLost = (error: unknown) => error instanceof RetryableError && error.code === 'lane_lost';

  it('cannot both write: one stores its batch, the other is told and stores nothing of it', async () => {
    const [one, two] = [world.reader(), world.reader()];
    await one.lanes.assigned([partition()]);
    await two.lanes.assigned([partition()]);
    const [mine, theirs] = [facts(5), facts(3, 100).map((r, n) => ({ ...r, offset: n }))];
    const ended = await Promise.allSettled([one.lanes.batch(batch(mine)), two.lanes.batch(batch(theirs))]);
    const lost = ended.findIndex(({ status }) => status === 'rejected');
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ended[lost]).toMatchObject({ reason: { code: 'lane_lost' } });
    const stored = lost === 1 ? mine.map((_, n) => `id-${n}`) : theirs.map((_, n) => `id-${100 + n}`);
    expect(await world.ids()).toEqual(stored);
  });

  it('the one that lost stays lost until it asks again, and then goes on behind the other', async () => {
    const [one, two] = [world.reader(), world.reader()];
    await one.lanes.assigned([partition()]);
    await two.lanes.assigned([partition()]);
    await two.lanes.batch(batch(facts(4)));
    for (let n = 0; n < 2; n++) await expect(one.lanes.batch(batch(facts(6)))).rejects.toSatisfy(isLost);
    expect(await one.lanes.assigned([partition()])).toEqual([4]);
    await one.lanes.batch(batch(facts(6)));
    expect(await world.ids()).toHaveLength(6);
  });

  it('the one whose partition was taken away stores no later part of its batch', async () => {
    const { lanes } = world.reader({ batchRecords: 2 });
    await lanes.assigned([partition()]);
    const storing = lanes.batch(batch(facts(6)));
    lanes.revoked([NAME]);
    await expect(storing).rejects.toSatisfy(isLost);
    expect((await world.lane()).next).toBeLessThanOrEqual(2);
  });

  it('the one that lost keeps no quarantine and no queue states, and moves nothing by its ticks', async () => {
    const [one, two] = [world.reader(), world.reader()];
    await one.lanes.assigned([partition()]);
    await two.lanes.assigned([partition()]);
    await two.lanes.batch(batch(facts(1)));
    const rest = [record(0, Buffer.from('{')), record(1, world.event('jobwarden.queue.state.v1', 'other', { waiting: 1 }))];
    await expect(one.lanes.batch(batch(rest))).rejects.toSatisfy(isLost);
    expect(await world.quarantined()).toEqual([]);
    expect(await world.rows(`SELECT 1 FROM jobwarden.queue_states`)).toEqual([]);
    expect((await world.lane()).next).toBe(1);
  });
});
