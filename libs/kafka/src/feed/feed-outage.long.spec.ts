import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBroker, waitUntil, type Broker } from '#libs/testing';
import { useFeeds } from './feed.fixture.js';

let broker: Broker;
beforeAll(async () => {
  broker = await startBroker();
});
afterAll(() => broker.stop());

const { sendValues, createEvents, startFeed } = useFeeds(() => broker.brokers);

test('a broker that dies and comes back is read on, from the same place, and ticks go on', async () => {
  const topic = await createEvents('');
  const { receiver, told, feed } = startFeed('');
  await sendValues(topic, ['before']);
  await waitUntil('it reads', () => receiver.values.includes('before'));
  await broker.kill(1);
  await waitUntil('the consumer has ended', () => told.count('restarted') > 0 && !feed.healthy, { withinMs: 40_000 });
  await broker.start(1);
  await sendValues(topic, ['after']);
  await waitUntil('it reads on', () => receiver.values.includes('after'), { withinMs: 40_000 });
  const ticks = receiver.ticks;
  await waitUntil('ticks', () => receiver.ticks > ticks);
  expect(receiver.values).toEqual(['before', 'after']);
});
