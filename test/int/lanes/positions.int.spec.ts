// How far a lane has been read, gaps in it, and positions that the broker does not have.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FeedPartition, LaneStore, PartitionAnswers } from '#libs/application';
import { createTestDatabase, type TestDatabase } from '#libs/testing';
import { batch, LaneWorld, NAME, partition, record, T0, tick } from './lane-world.js';

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

describe('how far a lane has been read', () => {
  it('is the time of the last record stored, and with ticks alone of the last one that was flushed', async () => {
    const { lanes } = world.reader();
    await lanes.assigned([partition()]);
    await lanes.batch(batch([tick(0, T0), tick(1, T0 + 250)]));
    expect(await world.lane()).toMatchObject({ next: 0, readMs: 0 });
    await lanes.flush();
    expect(await world.lane()).toMatchObject({ next: 2, readMs: T0 + 250 });
    await lanes.batch(batch([tick(2, T0 + 500), record(3, world.event('queued', 'a'), { timeMs: T0 + 600 })]));
    expect(await world.lane()).toMatchObject({ next: 4, readMs: T0 + 600 });
  });

  it('holds back the transport, from the moment on in which a partition is known, by whoever it is read', async () => {
    const { lanes } = world.reader();
    const other = partition({ name: 'kafka/events/4' });
    expect((await world.inner.clock.read()).kafka).toBeNull();
    await lanes.assigned([partition()]);
    await lanes.batch(batch([tick(0, T0)]));
    await lanes.flush();
    expect((await world.inner.clock.read()).kafka).toMatchObject({ readMs: T0, heldBy: NAME });
    await lanes.known([partition(), other]);
    expect((await world.inner.clock.read()).kafka).toMatchObject({ readMs: 0, heldBy: other.name });
    const theirs = world.reader();
    await theirs.lanes.assigned([other]);
    await theirs.lanes.batch(batch([tick(0, T0 + 9)], 1, other.name));
    await theirs.lanes.flush();
    expect((await world.inner.clock.read()).kafka).toMatchObject({ readMs: T0, heldBy: NAME });
  });

  it('never runs back, though the clocks of two brokers differ', async () => {
    const { lanes } = world.reader();
    await lanes.assigned([partition()]);
    await lanes.batch(batch([tick(0, T0), tick(1, T0 - 3_000)]));
    await lanes.flush();
    expect(await world.lane()).toMatchObject({ next: 2, readMs: T0, gapEndMs: 0 });
  });

  it('is the manual clock where there is one, and then there are no gaps', async () => {
    await world.inner.startClock(1_700_000_000_000);
    const { lanes } = world.reader({ clockMode: 'manual' });
    await lanes.assigned([partition()]);
    await lanes.batch(batch([record(0, world.event('queued', 'a'), { timeMs: T0 }), tick(1, T0 + 60_000)]));
    expect(await world.lane()).toMatchObject({ readMs: 1_700_000_000_000, gapEndMs: 0 });
    await world.inner.at(1_700_000_009_000);
    await lanes.batch(batch([tick(2, T0 + 120_000)]));
    await lanes.flush();
    expect(await world.lane()).toMatchObject({ next: 3, readMs: 1_700_000_009_000, gapEndMs: 0 });
    expect(await world.rows(`SELECT lane_ms AS ms FROM jobwarden.events WHERE source = 'test'`)).toEqual([{ ms: 1_700_000_000_000 }]);
  });
});

describe('a gap', () => {
  it('is more than five seconds without any record, also across a restart of the reader', async () => {
    const first = world.reader();
    await first.lanes.assigned([partition()]);
    await first.lanes.batch(batch([tick(0, T0), tick(1, T0 + 5_000)]));
    await first.lanes.flush();
    expect(await world.lane()).toMatchObject({ gapEndMs: 0 });
    const second = world.reader();
    await second.lanes.assigned([partition()]);
    await second.lanes.batch(batch([tick(2, T0 + 10_001), tick(3, T0 + 10_200)]));
    await second.lanes.flush();
    expect(await world.lane()).toMatchObject({ gapEndMs: T0 + 10_001, readMs: T0 + 10_200 });
    await second.lanes.batch(batch([record(4, world.event('queued', 'a'), { timeMs: T0 + 20_000 })]));
    expect(await world.lane()).toMatchObject({ gapEndMs: T0 + 20_000 });
    expect((await world.inner.clock.read()).kafka).toMatchObject({ gapEndMs: T0 + 20_000 });
  });

  it('ends with the last record of a time in which no emitter could be heard, though records came all along', async () => {
    const { lanes } = world.reader();
    await lanes.assigned([partition()]);
    await lanes.batch({ ...batch([tick(0, T0), tick(1, T0 + 250), tick(2, T0 + 500)]), unsureUpTo: 1 });
    await lanes.flush();
    expect(await world.lane()).toMatchObject({ gapEndMs: T0 + 250, readMs: T0 + 500 });
    await lanes.batch({ ...batch([record(3, world.event('queued', 'a'), { timeMs: T0 + 750 }), tick(4, T0 + 800)]), unsureUpTo: Infinity });
    expect(await world.lane()).toMatchObject({ gapEndMs: T0 + 800, readMs: T0 + 800 });
  });

  it('is none before the first record of a lane', async () => {
    const { lanes } = world.reader();
    await lanes.assigned([partition()]);
    await lanes.batch(batch([record(0, world.event('queued', 'a'))]));
    expect(await world.lane()).toMatchObject({ gapEndMs: 0 });
  });
});

describe('flushing', () => {
  it('loses the lane that somebody else has moved, and moves the others', async () => {
    const other = partition({ name: 'kafka/events/4' });
    const { lanes } = world.reader();
    await lanes.assigned([partition(), other]);
    await lanes.batch(batch([tick(0, T0)]));
    await lanes.batch(batch([tick(0, T0)], 1, other.name));
    await world.rows(`UPDATE jobwarden.lanes SET next = 7 WHERE name = $1`, NAME);
    await lanes.flush();
    expect([(await world.lane()).next, (await world.lane(other.name)).next]).toEqual([7, 1]);
    await expect(lanes.batch(batch([tick(1, T0 + 1)]))).rejects.toMatchObject({ code: 'lane_lost' });
  });

  it('does not wait for a lane whose batch is under way', async () => {
    let reached: () => void = () => undefined;
    const isUnderWay = new Promise<void>((resolve) => (reached = resolve));
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const store = {
      advance: async (moves: Parameters<typeof world.lanes.advance>[0]) => {
        if (moves.some(({ lane }) => lane === 2)) {
          reached();
          await held;
        }
        return await world.lanes.advance(moves);
      },
    };
    const other = partition({ name: 'kafka/events/4' });
    const { lanes } = world.reader({ store });
    await lanes.assigned([partition(), other]);
    await lanes.batch(batch([tick(0, T0)]));
    await lanes.batch(batch([tick(0, T0)], 1, other.name));
    const storing = lanes.batch(batch([record(1, Buffer.from('broken'))]));
    await isUnderWay;
    await lanes.flush();
    expect([(await world.lane()).next, (await world.lane(other.name)).next]).toEqual([0, 1]);
    release();
    await storing;
    expect((await world.lane()).next).toBe(2);
  });
});

describe('a position that the broker does not have', () => {
  const cases = [
    ['records were deleted before they were read', { low: 6 }, /from 6 on: 1 records were deleted unread/],
    ['the topic was made anew', { low: 0, high: 2 }, /should go on at offset 5, and it ends at 2/],
    ['it is another cluster', { origin: 'another' }, /in cluster cluster, and this is cluster another/],
    ['everything was deleted by hand', { low: 1_000, high: 1_000 }, /995 records were deleted unread/],
  ] as const;

  it.each(cases)('stops the lane, with the reason, when %s', async (_, changes, why) => {
    const first = world.reader();
    await first.lanes.assigned([partition()]);
    await first.lanes.batch(batch([record(4, world.event('queued', 'a'))]));
    const { lanes, stopped } = world.reader();
    expect(await lanes.assigned([partition(changes)])).toEqual([null]);
    expect(stopped).toEqual([expect.stringMatching(why)]);
    expect(await world.lane()).toMatchObject({ next: 5, stopped: expect.stringMatching(why) as string });
    // Not even when the offsets would fit again: a person has to say where to go on.
    expect(await world.reader().lanes.assigned([partition()])).toEqual([null]);
    // And whoever still read it cannot move it.
    await expect(first.lanes.batch(batch([record(5, world.event('queued', 'b'))]))).rejects.toMatchObject({ code: 'lane_lost' });
    expect(await world.ids()).toHaveLength(1);
  });

  /** As a broker says it now, however old what was handed over is. */
  const broker = (now: Partial<FeedPartition>): PartitionAnswers => ({
    now: () => Promise.resolve(partition(now)),
    firstAfter: () => Promise.resolve(Infinity),
  });
  const readUpTo = async (next: number) => {
    const other = world.reader();
    await other.lanes.assigned([partition()]);
    await other.lanes.batch(batch([record(next - 1, world.event('queued', 'a'))]));
    return other;
  };

  it('is none where somebody else has read on since a reader, halted meanwhile, was told how the partition is', async () => {
    await readUpTo(5);
    const { lanes, stopped } = world.reader();
    expect(await lanes.assigned([partition({ high: 2 })], broker({ high: 5 }))).toEqual([5]);
    expect(stopped).toEqual([]);
    expect(await world.lane()).toMatchObject({ next: 5, stopped: null });
    await lanes.batch(batch([record(5, world.event('queued', 'b'))]));
    expect(await world.ids()).toHaveLength(2);
  });

  it('is told with what the broker has now', async () => {
    await readUpTo(5);
    const { lanes, stopped } = world.reader();
    expect(await lanes.assigned([partition({ high: 2 })], broker({ high: 3 }))).toEqual([null]);
    expect(stopped).toEqual([expect.stringContaining('and it ends at 3')]);
  });

  it('stops no lane that has been moved while that was told', async () => {
    const other = await readUpTo(5);
    const stop: LaneStore['stop'] = async (judged, why) => {
      if (judged.next === 5) await other.lanes.batch(batch([record(7, world.event('queued', 'b'))]));
      return await world.lanes.stop(judged, why);
    };
    const { lanes } = world.reader({ store: { stop } });
    expect(await lanes.assigned([partition({ low: 7 })], broker({ low: 7 }))).toEqual([8]);
    expect(await world.lane()).toMatchObject({ next: 8, stopped: null });
  });

  it('is not judged while the broker does not answer', async () => {
    await readUpTo(5);
    const away = { ...broker({}), now: () => Promise.reject(new Error('no broker answers')) };
    await expect(world.reader().lanes.assigned([partition({ high: 2 })], away)).rejects.toThrow('no broker answers');
    expect(await world.lane()).toMatchObject({ next: 5, stopped: null });
  });

  it('is none at either end of what there is', async () => {
    const { lanes } = world.reader();
    await lanes.assigned([partition()]);
    await lanes.batch(batch([record(4, world.event('queued', 'a'))]));
    expect(await lanes.assigned([partition({ low: 5, high: 5 })])).toEqual([5]);
  });

  it('a lane begins at the first record that is still there when it is opened', async () => {
    expect(await world.reader().lanes.assigned([partition({ low: 40 })])).toEqual([40]);
  });
});
