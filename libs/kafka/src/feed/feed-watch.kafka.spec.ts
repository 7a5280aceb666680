// What a reader notices by itself: quiet partitions, new ones, ends, a topic that is not as it has to be, a dead consumer.
import { ConfigResourceTypes, Kafka, type Consumer } from 'kafkajs';
import { afterEach, expect, test, vi } from 'vitest';
import { sharedBrokers, useTopicPrefix, waitUntil } from '#libs/testing';
import { useFeeds } from './feed.fixture.js';

const prefix = useTopicPrefix();
const { admin, sendValues, createEvents, startFeed } = useFeeds(sharedBrokers);

afterEach(() => {
  vi.restoreAllMocks();
});

/** The consumers that feeds make from now on. */
function watchConsumers(): Consumer[] {
  const made: Consumer[] = [];
  const shipped = Kafka.prototype.consumer;
  vi.spyOn(Kafka.prototype, 'consumer').mockImplementation(function (this: Kafka, config) {
    const consumer = shipped.call(this, config);
    made.push(consumer);
    return consumer;
  });
  return made;
}

test('every quiet partition gets ticks, with nothing but their time', async () => {
  const topic = await createEvents(`${prefix}ticks-`, 3);
  const { receiver } = startFeed(`${prefix}ticks-`);
  const ticked = () => new Set(receiver.batches.filter(({ records }) => records.some(({ tick }) => tick)).map(({ name }) => name));
  await waitUntil('ticks in all partitions', () => ticked().size === 3);
  expect(receiver.stored.find(({ tick }) => tick)).toMatchObject({ key: null, value: Buffer.alloc(0) });
  expect([...ticked()].sort()).toEqual([0, 1, 2].map((n) => `kafka/${topic}/${n}`));
});

test('a new partition is made known and read, and the ends of all are told', async () => {
  const topic = await createEvents(`${prefix}grown-`, 1);
  const { receiver, told, feed } = startFeed(`${prefix}grown-`);
  await waitUntil('the first is known', () => receiver.told.size === 1 && feed.partitions().length === 1);
  await (await admin()).createPartitions({ topicPartitions: [{ topic, count: 3 }] });
  await waitUntil('all are known', () => receiver.told.size === 3);
  await waitUntil('the new ones tick', () => receiver.stored.length > 0 && feed.partitions().length === 3);
  await sendValues(topic, ['in a new one'], 2);
  await waitUntil('the record', () => receiver.values.includes('in a new one'));
  await waitUntil('its end', () => (told.ended.get(`kafka/${topic}/2`) ?? 0) > 0);
  expect(told.count('restarted')).toBe(0);
});

test('a partition that has records and brings none is noticed, and another consumer reads on', async () => {
  const topic = await createEvents(`${prefix}stall-`);
  const made = watchConsumers();
  const { receiver, told, feed } = startFeed(`${prefix}stall-`, { stalledAfterMs: 400 });
  await waitUntil('it reads', () => receiver.ticks > 0);
  // Behind its reader's back nothing is fetched any more.
  made[0]!.pause([{ topic }]);
  await sendValues(topic, ['after']);
  await waitUntil('it reads on', () => receiver.values.includes('after'));
  expect(told.count('stalled')).toBeGreaterThan(0);
  expect(told.count('restarted')).toBe(1);
  await waitUntil('it is a member', () => feed.healthy);
  expect(receiver.values).toEqual(['after']);
});

test('without the topic, or with the clocks of its senders, it says what to do, and reads as soon as that is done', async () => {
  const topic = `${prefix}check-events`;
  const { receiver, told, feed } = startFeed(`${prefix}check-`);
  await waitUntil('it tells', () => told.errors.length > 0);
  expect(told.errors[0]).toMatch(new RegExp(`^check: there is no topic ${topic}\\. Make it: kafka-topics .*LogAppendTime`));
  expect(feed.healthy).toBe(false);
  await createEvents(`${prefix}check-`, 1, 'CreateTime');
  const complaint = () => told.errors.find((error) => error.includes('CreateTime'));
  await waitUntil('it tells of the clock', () => complaint() !== undefined);
  expect(complaint()).toContain(`kafka-configs --bootstrap-server BROKER --alter --entity-type topics --entity-name ${topic}`);
  const configEntries = [{ name: 'message.timestamp.type', value: 'LogAppendTime' }];
  await (await admin()).alterConfigs({ validateOnly: false, resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }] });
  await sendValues(topic, ['at last']);
  await waitUntil('it reads', () => receiver.values.includes('at last'));
});

test('no broker: it is told, and the feed ends when it is asked to', async () => {
  const { told, feed } = startFeed(`${prefix}nowhere-`, {
    settings: { brokers: ['127.0.0.1:9'], topicPrefix: `${prefix}nowhere-`, ssl: null, sasl: null },
  });
  await waitUntil('it tells', () => told.errors.some((error) => error.startsWith('check')));
  expect(feed.healthy).toBe(false);
  await feed.stop();
});

test('two readers share the partitions, and the one that stays reads all of them', async () => {
  const topic = await createEvents(`${prefix}two-`, 4);
  const [one, two] = [startFeed(`${prefix}two-`), startFeed(`${prefix}two-`)];
  await waitUntil('they share', () => one.feed.partitions().length === 2 && two.feed.partitions().length === 2);
  expect([...one.feed.partitions(), ...two.feed.partitions()].sort()).toEqual([0, 1, 2, 3].map((n) => `kafka/${topic}/${n}`));
  expect(one.receiver.told.size + two.receiver.told.size).toBe(8);
  await two.feed.stop();
  await waitUntil('one has all', () => one.feed.partitions().length === 4);
});
