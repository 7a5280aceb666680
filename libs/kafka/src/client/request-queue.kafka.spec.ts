// The mended queue against a real broker: nothing is lost by it, and a client that was used once is quiet afterwards.
import { Kafka, logLevel } from 'kafkajs';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import { afterEach, expect, test, vi } from 'vitest';
import { sharedBrokers, useTopicPrefix, waitUntil } from '#libs/testing';
import { mendRequestQueue } from './request-queue.js';

const prefix = useTopicPrefix();
const asShipped = RequestQueue.prototype.scheduleCheckPendingRequests;
const messageCount = 5_000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Node's own listener, which prints, makes room for one that remembers. */
async function warningsDuring(work: () => Promise<void>): Promise<string[]> {
  const printing = process.listeners('warning');
  const names: string[] = [];
  process.removeAllListeners('warning');
  process.on('warning', ({ name }) => names.push(name));
  await work();
  process.removeAllListeners('warning');
  for (const listener of printing) process.on('warning', listener);
  return names;
}

/** Sends and reads many messages in small batches. @returns how often a timer was armed for a time that is over. */
async function traffic(name: string): Promise<{ received: number; timersInThePast: number }> {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const kafka = new Kafka({ brokers: sharedBrokers().split(','), logLevel: logLevel.NOTHING });
  const [admin, producer] = [kafka.admin(), kafka.producer()];
  const consumer = kafka.consumer({ groupId: `${prefix}${name}`, maxWaitTimeInMs: 50 });
  const topic = `${prefix}${name}`;
  const received = new Set<string>();
  await Promise.all([admin, producer, consumer].map((client) => client.connect()));
  await admin.createTopics({ topics: [{ topic, numPartitions: 3 }], waitForLeaders: true });
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({ eachMessage: ({ message }) => Promise.resolve(void received.add(String(message.value))) });
  const values = Array.from({ length: messageCount }, (_, n) => ({ value: `m${n}` }));
  const batches = Array.from({ length: messageCount / 50 }, (_, n) => values.slice(n * 50, n * 50 + 50));
  await Promise.all(batches.map((messages) => producer.send({ topic, messages })));
  await waitUntil('all messages', () => received.size >= messageCount);
  await Promise.all([admin, producer, consumer].map((client) => client.disconnect()));
  return { received: received.size, timersInThePast: timers.mock.calls.filter(([, ms = 0]) => ms < 0).length };
}

// First, because Node warns once in the life of a process.
test('mended, every message arrives, no timer is armed in the past, and Node has nothing to warn of (D7)', async () => {
  mendRequestQueue();
  const warnings = await warningsDuring(async () => {
    expect(await traffic('mended')).toEqual({ received: messageCount, timersInThePast: 0 });
  });
  expect(warnings).toEqual([]);
});

test('as shipped, timers are armed for a time that is over, and Node warns', async () => {
  RequestQueue.prototype.scheduleCheckPendingRequests = asShipped;
  const warnings = await warningsDuring(async () => {
    const { timersInThePast } = await traffic('as-shipped');
    expect(timersInThePast).toBeGreaterThan(0);
  });
  expect(warnings).toContain('TimeoutNegativeWarning');
});
