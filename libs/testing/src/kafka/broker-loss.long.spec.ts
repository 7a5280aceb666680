import type { Admin, Consumer, Producer } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../poll.js';
import { startBroker, type Broker } from './broker.js';
import { kafkaClient } from './client.js';

const topic = 'survives';
const seen: string[] = [];
let broker: Broker | undefined;
let producer: Producer;
const clients: (Admin | Consumer | Producer)[] = [];

beforeAll(async () => {
  broker = await startBroker({ nodes: 3 });
  const kafka = kafkaClient(broker.brokers, {
    requestTimeout: 3_000,
    connectionTimeout: 1_000,
    retry: { initialRetryTime: 100, retries: 20, maxRetryTime: 1_000 },
  });
  const admin = kafka.admin();
  producer = kafka.producer();
  // With the coordinator lost, a member that joins anew waits for the session of its former self to end.
  const session = { sessionTimeout: 2_000, heartbeatInterval: 300, rebalanceTimeout: 5_000 };
  const consumer = kafka.consumer({ groupId: 'readers', maxWaitTimeInMs: 100, ...session });
  clients.push(admin, producer, consumer);
  await Promise.all(clients.map((client) => client.connect()));
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({ eachMessage: ({ message }) => Promise.resolve(void seen.push(String(message.value))) });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.disconnect()));
  await broker?.stop();
});

async function sendAndSee(value: string): Promise<void> {
  await producer.send({ topic, acks: -1, messages: [{ value }] });
  await waitUntil(`${value} is read`, () => seen.includes(value), { withinMs: 30_000 });
}

/** As other nodes than `paused` see it, each time by a new client: an old one may go on asking the node that is silent. */
async function partition(paused?: number) {
  const addresses = broker!.brokers.split(',').filter((_, at) => broker!.nodes[at]!.id !== paused);
  const asking = kafkaClient(addresses.join(','), { requestTimeout: 3_000 }).admin();
  await asking.connect();
  try {
    const { topics } = await asking.fetchTopicMetadata({ topics: [topic] });
    return topics[0]!.partitions[0]!;
  } finally {
    await asking.disconnect();
  }
}

test('three nodes lose the leader of a partition and go on, and take it back', async () => {
  await sendAndSee('before');
  const lost = await broker!.killLeader(topic);
  expect(broker!.nodes.filter(({ pid }) => pid === 0).map(({ id }) => id)).toEqual([lost]);
  await sendAndSee('without it');
  expect((await partition()).leader).not.toBe(lost);
  await broker!.start(lost);
  await waitUntil('all replicas are in sync', async () => (await partition()).isr.length === 3);
  await sendAndSee('together again');
});

test('a node that is paused loses its partitions, and catches up when it is resumed', async () => {
  const { leader } = await partition();
  broker!.pause(leader);
  await waitUntil('another node leads', async () => (await partition(leader)).leader !== leader);
  broker!.resume(leader);
  await waitUntil('all replicas are in sync', async () => (await partition()).isr.length === 3);
});
