// What a reader does when a batch cannot be stored, and when the position is not what it was.
import { expect, test } from 'vitest';
import { RetryableError } from '#libs/application';
import { sharedBrokers, useTopicPrefix, waitUntil } from '#libs/testing';
import { useFeeds } from './feed.fixture.js';

const prefix = useTopicPrefix();
const { deleteBefore, sendValues, createEvents, startFeed } = useFeeds(sharedBrokers);

const numbered = (count: number, word = 'v') => Array.from({ length: count }, (_, n) => `${word}${n}`);

test('while the database is away a partition is paused and tried again, and every record is stored once', async () => {
  const topic = await createEvents(`${prefix}away-`);
  const { receiver, told } = startFeed(`${prefix}away-`);
  let failures = 0;
  receiver.before = () => {
    if (failures++ % 3 !== 2) throw new RetryableError('database_unavailable', 'gone');
  };
  await sendValues(topic, numbered(20));
  await waitUntil('all records', () => receiver.values.length >= 20);
  expect(receiver.values).toEqual(numbered(20));
  expect(told.lines).toEqual(expect.arrayContaining([`paused kafka/${topic}/0`, `resumed kafka/${topic}/0`]));
  expect([told.count('assigned'), told.count('revoked'), told.errors]).toEqual([1, 0, []]);
});

test('fifty short outages leave the consumer where it is (D4)', async () => {
  const topic = await createEvents(`${prefix}short-`);
  const { receiver, told } = startFeed(`${prefix}short-`, { tickEveryMs: 60_000 });
  const failed = new Set<string>();
  receiver.before = ({ records }) => {
    const value = String(records[0]?.value);
    if (value === '' || failed.has(value)) return;
    failed.add(value);
    throw new RetryableError('database_unavailable', 'gone');
  };
  for (const value of numbered(50)) {
    await sendValues(topic, [value]);
    await waitUntil(`${value} is stored`, () => receiver.values.includes(value));
  }
  expect([receiver.values, [...failed]]).toEqual([numbered(50), numbered(50)]);
  expect([told.count('assigned'), told.count('revoked'), told.count('restarted')]).toEqual([1, 0, 0]);
});

test('what is no outage is told as a fault, and repeated all the same: never skipped', async () => {
  const topic = await createEvents(`${prefix}bug-`);
  const { receiver, told, feed } = startFeed(`${prefix}bug-`);
  let mended = false;
  receiver.before = () => {
    if (!mended) throw new TypeError('undefined is not a function');
  };
  await sendValues(topic, numbered(3));
  await waitUntil('it was told twice', () => told.errors.length >= 2);
  expect(new Set(told.errors)).toEqual(new Set(['batch: undefined is not a function']));
  expect(feed.healthy).toBe(true);
  mended = true;
  await waitUntil('all records', () => receiver.values.length === 3);
  expect([told.count('assigned'), told.count('restarted')]).toEqual([1, 0]);
});

test('a reader whose lane somebody else has moved asks where it stands and goes on there', async () => {
  const topic = await createEvents(`${prefix}lost-`);
  const name = `kafka/${topic}/0`;
  const { receiver, told } = startFeed(`${prefix}lost-`, { tickEveryMs: 60_000 });
  await waitUntil('it has asked', () => receiver.next.has(name));
  receiver.before = (batch) => {
    if (receiver.asked.length > 1) return;
    receiver.next.set(name, 5);
    throw new RetryableError('lane_lost', `${batch.name} is read by somebody else`);
  };
  await sendValues(topic, numbered(8));
  await waitUntil('the rest', () => receiver.values.length >= 3);
  expect(receiver.values).toEqual(numbered(8).slice(5));
  expect(told.count('revoked')).toBe(0);
});

test('nothing of a stopped lane is read, until an operator says where to go on', async () => {
  const topic = await createEvents(`${prefix}stopped-`, 2);
  await sendValues(topic, numbered(4));
  const { receiver, told } = startFeed(`${prefix}stopped-`);
  receiver.next.set(`kafka/${topic}/0`, null);
  await sendValues(topic, ['other'], 1);
  await waitUntil('the other partition', () => receiver.values.includes('other'));
  await waitUntil('it was asked again', () => receiver.asked.filter(({ name }) => name.endsWith('/0')).length >= 3);
  expect(receiver.values).toEqual(['other']);
  expect(told.lines).toContain(`paused kafka/${topic}/0`);
  receiver.next.set(`kafka/${topic}/0`, 2);
  await waitUntil('the rest', () => receiver.values.length === 3);
  expect(receiver.values).toEqual(['other', 'v2', 'v3']);
  expect(told.lines).toContain(`resumed kafka/${topic}/0`);
});

test('records that were deleted unread are not passed over: the log is asked again, and decides', async () => {
  const topic = await createEvents(`${prefix}deleted-`);
  const { receiver } = startFeed(`${prefix}deleted-`, { tickEveryMs: 60_000 });
  receiver.before = () => {
    throw new RetryableError('database_unavailable', 'gone');
  };
  await sendValues(topic, numbered(10));
  await waitUntil('a batch was tried', () => receiver.batches.length > 0);
  await deleteBefore(topic, 6);
  receiver.beforeAssigned = () => receiver.next.set(`kafka/${topic}/0`, null);
  receiver.before = ({ records }) => {
    // Fetched before they were deleted, they may still be stored.
    if (records[0]!.offset > 1) throw new Error('a batch from after the hole was handed on');
    throw new RetryableError('database_unavailable', 'gone');
  };
  await waitUntil('it was asked again', () => receiver.asked.length > 1);
  expect(receiver.asked.at(-1)!.low).toBe(6);
  expect(receiver.values).toEqual([]);
});

test('a batch that takes long holds up neither the other partitions nor the signs of life', async () => {
  const topic = await createEvents(`${prefix}slow-`, 3);
  const { receiver, told, feed } = startFeed(`${prefix}slow-`, { sessionTimeoutMs: 1_000, partitionsAtOnce: 1 });
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  receiver.before = ({ name, records }) => (name.endsWith('/0') && records.some(({ tick }) => !tick) ? held : undefined);
  await waitUntil('it reads', () => feed.partitions().length === 3);
  await sendValues(topic, ['slow', 'slow too'], 0);
  await waitUntil('it is held', () => told.lines.includes(`paused kafka/${topic}/0`));
  const [begun, ticks] = [performance.now(), receiver.ticks];
  const lives = async (n: number) => {
    await sendValues(topic, [`quick ${n}`], 1 + (n % 2));
    await waitUntil('the others are read', () => receiver.values.includes(`quick ${n}`));
  };
  for (let n = 0; performance.now() - begun < 3_000; n++) await lives(n);
  expect(receiver.values).not.toContain('slow');
  // Into the held partition too: its end moves on.
  const end = told.ended.get(`kafka/${topic}/0`)!;
  await waitUntil('ticks go on', () => told.ended.get(`kafka/${topic}/0`)! > end + 2 && receiver.ticks > ticks + 10);
  release();
  await waitUntil('it goes on', () => receiver.values.includes('slow too'));
  expect([told.count('assigned'), told.count('revoked'), told.count('restarted')]).toEqual([1, 0, 0]);
  expect(receiver.values.filter((value) => value.startsWith('slow'))).toEqual(['slow', 'slow too']);
});

test('after the pause nothing new is handed on, and it waits for what is under way', async () => {
  const topic = await createEvents(`${prefix}pause-`);
  const { receiver, feed } = startFeed(`${prefix}pause-`, { tickEveryMs: 60_000 });
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  receiver.before = () => held;
  await sendValues(topic, ['first']);
  await waitUntil('it is under way', () => receiver.batches.some(({ records }) => records.some(({ tick }) => !tick)));
  let paused = false;
  const pausing = feed.pause().then(() => (paused = true));
  await sendValues(topic, ['second']);
  expect(paused).toBe(false);
  release();
  await pausing;
  expect(receiver.values).toEqual(['first']);
  await feed.stop();
  expect(receiver.values).toEqual(['first']);
  expect(receiver.given).toEqual([`kafka/${topic}/0`]);
});
