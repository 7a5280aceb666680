import { expect, test } from 'vitest';
import { sharedBrokers, useTopicPrefix, waitUntil } from '#libs/testing';
import { useFeeds } from './feed.fixture.js';

const prefix = useTopicPrefix();
const { kafka, admin, send, sendValues, createEvents, startFeed } = useFeeds(sharedBrokers);

const numbered = (count: number, word = 'v') => Array.from({ length: count }, (_, n) => `${word}${n}`);

test('records come in order, with key, headers by lower-case name and the time of the broker', async () => {
  const topic = await createEvents(`${prefix}order-`);
  const before = Date.now();
  await send(topic, [
    { key: 'ns/q/ä', value: 'first', headers: { CE_Type: ['old', 'new'], '__proto__': 'x' }, timestamp: '1000' },
    { key: null, value: null },
  ]);
  await sendValues(topic, numbered(500));
  const { receiver } = startFeed(`${prefix}order-`);
  await waitUntil('all records', () => receiver.values.length === 502);
  const [first, tombstone] = receiver.stored;
  expect(first).toMatchObject({ offset: 0, key: 'ns/q/ä', headers: { ce_type: 'new' }, tick: false });
  expect(first!.timeMs).toBeGreaterThanOrEqual(before - 1_000);
  expect(tombstone).toMatchObject({ key: null, value: null });
  expect(receiver.values.slice(2)).toEqual(numbered(500));
});

test('a batch ends after the marker of a transaction, and one that was given up leaves no hole behind', async () => {
  const topic = await createEvents(`${prefix}markers-`);
  const producer = kafka().producer({ transactionalId: `${prefix}tx`, idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  for (const word of ['given up', 'kept', 'given up too']) {
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ value: word }] });
    await (word === 'kept' ? transaction.commit() : transaction.abort());
  }
  await producer.disconnect();
  await sendValues(topic, ['last']);
  const { receiver, told } = startFeed(`${prefix}markers-`);
  await waitUntil('the last record', () => receiver.values.includes('last'));
  expect(receiver.values).toEqual(['kept', 'last']);
  // Nothing looked like a position that somebody had changed.
  expect(receiver.asked).toHaveLength(1);
  expect(told.errors).toEqual([]);
});

test('whoever is asked where to go on can ask how a partition is by then', async () => {
  const topic = await createEvents(`${prefix}now-`);
  const name = `kafka/${topic}/0`;
  await sendValues(topic, numbered(3));
  const { receiver } = startFeed(`${prefix}now-`);
  await waitUntil('the question', () => receiver.broker !== null);
  const [asked] = receiver.asked;
  await sendValues(topic, numbered(5));
  const now = await receiver.broker?.now(name);
  expect(now).toMatchObject({ name, low: 0, origin: asked?.origin });
  expect(now?.high).toBeGreaterThanOrEqual((asked?.high ?? 0) + 5);
  await expect(receiver.broker?.now('kafka/another/0')).rejects.toThrow('does not know of kafka/another/0');
});

test('reading begins where the log says, whatever offset the group has', async () => {
  const topic = await createEvents(`${prefix}begin-`);
  const [name, groupId] = [`kafka/${topic}/0`, `${prefix}begin-ingest`];
  await sendValues(topic, numbered(10));
  const first = startFeed(`${prefix}begin-`);
  await waitUntil('the offset to show', async () => {
    const [shown] = await (await admin()).fetchOffsets({ groupId, topics: [topic] });
    return Number(shown?.partitions[0]?.offset) >= 10;
  });
  expect(first.feed.healthy).toBe(true);
  expect(first.feed.partitions()).toEqual([name]);
  await first.feed.stop();
  expect(first.feed.healthy).toBe(false);
  const { receiver } = startFeed(`${prefix}begin-`);
  receiver.next.set(name, 4);
  await waitUntil('the rest', () => receiver.values.length === 6);
  expect(receiver.values).toEqual(numbered(10).slice(4));
});
