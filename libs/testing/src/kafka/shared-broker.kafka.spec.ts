import { ConfigResourceTypes, type Consumer, type Producer } from 'kafkajs';
import { afterAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../poll.js';
import { kafkaClient } from './client.js';
import { sharedBrokers, useTopicPrefix } from './topics.js';

describe('the shared broker', () => {
  const prefix = useTopicPrefix();
  const kafka = kafkaClient(sharedBrokers());
  const admin = kafka.admin();
  const closing: (Producer | Consumer)[] = [];
  afterAll(async () => {
    await Promise.all([admin, ...closing].map((client) => client.disconnect()));
  });

  async function producer(transactionalId?: string): Promise<Producer> {
    const made = kafka.producer(transactionalId ? { transactionalId, maxInFlightRequests: 1, idempotent: true } : {});
    closing.push(made);
    await made.connect();
    return made;
  }

  /** Reads a topic from its beginning, as a member of a group. */
  async function readAll(topic: string, group: string): Promise<string[]> {
    const seen: string[] = [];
    // Disconnecting waits for the answer to the last fetch, which takes this long on a quiet topic; the default is 5 s.
    const consumer = kafka.consumer({ groupId: `${prefix}${group}`, maxWaitTimeInMs: 100 });
    closing.push(consumer);
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({ eachMessage: ({ message }) => Promise.resolve(void seen.push(String(message.value))) });
    return seen;
  }

  async function createTopic(name: string, numPartitions = 1): Promise<string> {
    const topic = `${prefix}${name}`;
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: true });
    return topic;
  }

  test('makes no topic that nobody created', async () => {
    await admin.connect();
    const once = kafka.producer({ retry: { retries: 0 } });
    closing.push(once);
    await once.connect();
    const sending = once.send({ topic: `${prefix}unknown`, messages: [{ value: 'x' }] });
    await expect(sending).rejects.toThrow(/does not host this topic-partition/);
  });

  // At least once: where one partition of a new topic has no leader yet, kafkajs sends the whole request again.
  test('hands a group every message of all partitions', async () => {
    const topic = await createTopic('many', 3);
    const values = Array.from({ length: 300 }, (_, n) => `m${n}`);
    await (await producer()).send({ topic, messages: values.map((value) => ({ key: value, value })) });
    const seen = await readAll(topic, 'readers');
    await waitUntil('all messages', () => new Set(seen).size >= values.length);
    expect(new Set(seen)).toEqual(new Set(values));
    const offsets = await admin.fetchTopicOffsets(topic);
    expect(offsets.map(({ partition, high }) => [partition, Number(high) > 0])).toEqual(
      expect.arrayContaining([0, 1, 2].map((partition) => [partition, true])),
    );
  });

  test('shows what a transaction committed, and nothing of one that was given up', async () => {
    const topic = await createTopic('transactions');
    const sender = await producer(`${prefix}sender`);
    const aborted = await sender.transaction();
    await aborted.send({ topic, messages: [{ value: 'aborted' }] });
    await aborted.abort();
    const committed = await sender.transaction();
    await committed.send({ topic, messages: [{ value: 'committed' }] });
    await committed.commit();
    const seen = await readAll(topic, 'transactional');
    await waitUntil('the committed message', () => seen.length > 0);
    expect(seen).toEqual(['committed']);
  });

  test('stamps messages with the time of their arrival where the topic asks for it', async () => {
    const topic = `${prefix}stamped`;
    await admin.connect();
    const configEntries = [{ name: 'message.timestamp.type', value: 'LogAppendTime' }];
    await admin.createTopics({ topics: [{ topic, configEntries }], waitForLeaders: true });
    const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic }];
    const described = await admin.describeConfigs({ includeSynonyms: false, resources });
    const found = described.resources[0]!.configEntries.find(({ configName }) => configName === 'message.timestamp.type');
    expect(found?.configValue).toBe('LogAppendTime');
  });
});
