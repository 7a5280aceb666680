import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Database, PgLaneDesk } from '#libs/postgres';
import { createTestDatabase, useTopicPrefix, waitUntil, type TestDatabase } from '#libs/testing';
import { LaneFeeds } from './lane-feed.js';

const prefix = useTopicPrefix();
let database: TestDatabase;
let feeds: LaneFeeds;

beforeEach(async () => {
  database = await createTestDatabase();
  feeds = new LaneFeeds(database.url, `${prefix}${randomBytes(3).toString('hex')}-`);
});
afterEach(async () => {
  await feeds.close();
  await database.drop();
});

const ids = (count: number, word: string) => Array.from({ length: count }, (_, n) => `${word}-${n}`);
const lane = (partition: number) => `kafka/${feeds.topic}/${partition}`;

/** Nothing of the log can be written until the answer is called. */
async function blockDatabase(): Promise<() => Promise<void>> {
  const owner = new Database({ url: database.url, poolSize: 1 });
  let unblock: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (unblock = resolve));
  let blocked: () => void = () => undefined;
  const isBlocked = new Promise<void>((resolve) => (blocked = resolve));
  const transaction = owner.transaction(async (tx) => {
    await tx.query('LOCK TABLE jobwarden.lanes, jobwarden.jobs IN ACCESS EXCLUSIVE MODE');
    blocked();
    await held;
  });
  await isBlocked;
  return async () => {
    unblock();
    await transaction;
    await owner.close();
  };
}

test('a database that is blocked for four session timeouts costs no rebalance and no duplicate, and the lag drains (D1)', async () => {
  await feeds.connect(2);
  const one = feeds.start();
  await feeds.send([...feeds.queued(ids(50, 'before'), 0), ...feeds.queued(ids(50, 'before-too'), 1)]);
  await feeds.stored(100);
  const unblock = await blockDatabase();
  const since = performance.now();
  for (let n = 0; performance.now() - since < 4_200; n++) {
    const end = one.ends.get(lane(0)) ?? 0;
    await feeds.send([...feeds.queued(ids(5, `while-${n}`), 0), ...feeds.queued(ids(5, `while-too-${n}`), 1)]);
    // Ticks go on too.
    await waitUntil('the end moves on', () => one.ends.get(lane(0))! > end + 5);
  }
  await unblock();
  await feeds.send(feeds.queued(['last'], 1));
  const sent = async () => {
    const stored = await feeds.world.ids();
    return stored.includes('last') && stored;
  };
  await waitUntil('the last one', async () => (await sent()) !== false);
  await waitUntil('no lag', async () => {
    const offsets = await feeds.admin.fetchTopicOffsets(feeds.topic);
    const lanes = await Promise.all(offsets.map(({ partition }) => feeds.world.lane(lane(partition))));
    // Ticks come all the time: near the end is at the end.
    return offsets.every(({ high }, n) => Number(high) - lanes[n]!.next < 10);
  });
  const stored = await feeds.world.ids();
  expect(new Set(stored).size).toBe(stored.length);
  expect(one.results.every(({ outcome }) => outcome === 'appended')).toBe(true);
  expect(one.told).toMatchObject({ assigned: 1, revoked: 0, restarted: 0, paused: one.told.resumed });
  expect(one.told.paused).toBeGreaterThan(0);
});

test('twin: a consumer that waits for its database within a batch is thrown out of its group (D1)', async () => {
  await feeds.connect(1);
  await feeds.send(feeds.queued(['one']));
  const groupId = `${feeds.topic}-plain`;
  const { consumer, release } = await feeds.plainReader(groupId);
  const members = async () => (await feeds.admin.describeGroups([groupId])).groups[0]?.members.length;
  await waitUntil('it is a member', async () => (await members()) === 1);
  await waitUntil('it is none any more', async () => (await members()) === 0);
  release();
  await consumer.disconnect();
});

test('readers that come and go under load store every event once, and count it once (D2)', async () => {
  await feeds.connect(4);
  const all: string[] = [];
  const load = async (word: string) => {
    for (let partition = 0; partition < 4; partition++) {
      const some = ids(100, `${word}-${partition}`);
      all.push(...some);
      await feeds.send(feeds.queued(some, partition));
    }
  };
  const one = feeds.start();
  await load('first');
  const two = feeds.start();
  await load('second');
  await waitUntil('they share', () => one.feed.partitions().length === 2 && two.feed.partitions().length === 2);
  await load('third');
  await one.stop();
  await load('fourth');
  await feeds.stored(all.length);
  expect(await feeds.world.ids()).toEqual(all.toSorted());
  expect(await feeds.world.rows(`SELECT sum(queued)::int AS n FROM jobwarden.queue_counters`)).toEqual([{ n: all.length }]);
  await waitUntil('two has all', () => two.feed.partitions().length === 4);
});

test('a broken record is kept with its offset and its bytes, and the next one is stored (D3)', async () => {
  await feeds.connect(1);
  const one = feeds.start({ tickEveryMs: 60_000 });
  await feeds.send(feeds.queued(['before']));
  const broken = [
    ['{"specversion":', 'unreadable'],
    [feeds.world.event('jobwarden.job.vanished.v1', 'j'), 'unknown_type'],
    [feeds.world.event('started', 'j', { attempt: 'first' }), 'schema'],
  ] as const;
  // Each in a request of its own: nothing that comes later is needed for the next one to be stored.
  for (const [n, [value]] of broken.entries()) {
    await feeds.send([{ key: `/q/broken-${n}`, value, partition: 0 }, ...feeds.queued([`after-${n}`])]);
    await waitUntil('the next one', async () => (await feeds.world.ids()).includes(`after-${n}`));
  }
  const { topic } = feeds;
  await waitUntil('all are kept', async () => (await feeds.world.quarantined()).length === broken.length);
  const offsets = await feeds.admin.fetchTopicOffsets(topic);
  const first = Number(offsets[0]!.high) - 2 * broken.length;
  const kept = await feeds.world.quarantined();
  expect(kept.map(({ origin, reason }) => [origin, reason])).toEqual(broken.map(([, reason], n) => [`${topic}/0@${first + 2 * n}`, reason]));
  expect(kept[0]!.job).toBe('broken-0');
  expect(String(kept[0]!.bytes)).toBe('{"specversion":');
  expect(one.told).toMatchObject({ assigned: 1, restarted: 0 });
});

test('a topic that was made anew stops its lane with the reason, and an operator sets it going again', async () => {
  await feeds.connect(1);
  const one = feeds.start();
  await feeds.send(feeds.queued(ids(200, 'old')));
  await feeds.stored(200);
  await feeds.admin.deleteTopics({ topics: [feeds.topic] });
  await feeds.createTopic(1);
  await waitUntil('it is stopped', async () => (await feeds.world.lane(lane(0))).stopped !== null, { withinMs: 40_000 });
  expect((await feeds.world.lane(lane(0))).stopped).toMatch(/it ends at \d+: the topic was made anew/);
  expect(one.stopped).toHaveLength(1);
  await feeds.send(feeds.queued(['new']));
  await feeds.world.rows(`UPDATE jobwarden.lanes SET stopped = NULL, next = 0 WHERE name = $1`, lane(0));
  await waitUntil('the new one', async () => (await feeds.world.ids()).includes('new'), { withinMs: 40_000 });
});

test('a topic that was made anew stops the lane also when it has grown past what was read', async () => {
  await feeds.connect(1);
  const one = feeds.start();
  await feeds.send(feeds.queued(ids(20, 'old')));
  await feeds.stored(20);
  await one.stop();
  await feeds.admin.deleteTopics({ topics: [feeds.topic] });
  await feeds.createTopic(1);
  const { lane: number, next } = await feeds.world.lane(lane(0));
  const unread = ids(next + 100, 'new');
  await waitUntil('the new topic', () => feeds.send(feeds.queued(unread)).then(() => true, () => false));
  const two = feeds.start();
  await waitUntil('it is stopped', () => two.stopped.length > 0);
  expect(two.stopped[0]).toMatch(/the topic was made anew, and \d+ records of it were never read/);
  expect(await feeds.world.ids()).toHaveLength(20);
  const { clusterId } = await feeds.admin.describeCluster();
  const desk = new Database({ url: database.url, poolSize: 1 });
  await new PgLaneDesk(desk).seek(number, { next: 10, origin: clusterId });
  await desk.close();
  await feeds.stored(20 + unread.length - 10);
});

test('a lane goes on where an operator has said, also past records that are newer than what was read', async () => {
  await feeds.connect(1);
  const one = feeds.start();
  await feeds.send(feeds.queued(ids(5, 'read')));
  await feeds.stored(5);
  await one.stop();
  const { lane: number, next } = await feeds.world.lane(lane(0));
  const skipped = ids(50, 'skipped');
  await feeds.send(feeds.queued(skipped));
  await feeds.admin.fetchTopicOffsets(feeds.topic);
  await feeds.admin.deleteTopicRecords({ topic: feeds.topic, partitions: [{ partition: 0, offset: String(next) }] });
  const { clusterId } = await feeds.admin.describeCluster();
  const desk = new Database({ url: database.url, poolSize: 1 });
  await new PgLaneDesk(desk).seek(number, { next: next + 40, origin: clusterId });
  await desk.close();
  const two = feeds.start();
  await feeds.stored(5 + 10);
  expect(two.stopped).toEqual([]);
});

test('records that were deleted unread stop the lane: nothing is passed over in silence', async () => {
  await feeds.connect(1);
  await feeds.send(feeds.queued(ids(10, 'some')));
  const one = feeds.start();
  await feeds.stored(10);
  await one.stop();
  await feeds.send(feeds.queued(ids(10, 'unread')));
  await feeds.admin.fetchTopicOffsets(feeds.topic);
  await feeds.admin.deleteTopicRecords({ topic: feeds.topic, partitions: [{ partition: 0, offset: '-1' }] });
  const two = feeds.start();
  await waitUntil('it is stopped', () => two.stopped.length > 0);
  expect(two.stopped[0]).toMatch(/were deleted unread/);
  expect(await feeds.world.ids()).toHaveLength(10);
});
