import { CompressionTypes, type Message } from 'kafkajs';
import { gzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { kafkaClient, sharedBrokers, useTopicPrefix, waitUntil } from '#libs/testing';
import { readAllCompressions } from './compression.js';

const prefix = useTopicPrefix();
const kafka = kafkaClient(sharedBrokers());
const [admin, producer] = [kafka.admin(), kafka.producer()];
afterAll(async () => {
  await Promise.all([admin.disconnect(), producer.disconnect()]);
});

/** What compresses well, what does not, what repeats at every distance; small and large. */
const values = [
  '',
  'a',
  'ab'.repeat(40_000),
  'x'.repeat(300_000),
  randomBytes(50_000).toString('latin1'),
  ...Array.from({ length: 400 }, (_, n) => JSON.stringify({ specversion: '1.0', id: `event-${n}`, source: '/services/mailer', n })),
  Array.from({ length: 5_000 }, (_, n) => `${n * 7919}`).join(','),
];

test.each(['lz4', 'snappy', 'zstd', 'gzip'])('what the broker compressed by %s is read as it was', async (type) => {
  readAllCompressions();
  const topic = `${prefix}${type}`;
  await Promise.all([admin.connect(), producer.connect()]);
  const configEntries = [{ name: 'compression.type', value: type }];
  await admin.createTopics({ topics: [{ topic, configEntries }], waitForLeaders: true });
  const messages: Message[] = values.map((value) => ({ value }));
  // One batch of all, and some that stand alone.
  await producer.send({ topic, messages });
  for (const message of messages.slice(0, 4)) await producer.send({ topic, messages: [message] });
  const consumer = kafka.consumer({ groupId: topic, maxWaitTimeInMs: 100 });
  const seen: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({ eachMessage: ({ message }) => Promise.resolve(void seen.push(String(message.value))) });
  await waitUntil('all messages', () => seen.length >= values.length + 4);
  await consumer.disconnect();
  expect(seen).toEqual([...values, ...values.slice(0, 4)]);
});

test('nothing is written with them', async () => {
  readAllCompressions();
  await producer.connect();
  const sending = producer.send({ topic: `${prefix}gzip`, compression: CompressionTypes.LZ4, messages: [{ value: gzipSync('x') }] });
  await expect(sending).rejects.toThrow('nothing is written with this compression');
});
