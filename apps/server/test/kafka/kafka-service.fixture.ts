import type { Consumer, Producer } from 'kafkajs';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { kafkaClient, sharedBrokers, useTestDatabase, useTopicPrefix, waitUntil } from '#libs/testing';
import { TestService, type Body, type Item } from '../service.fixture.js';

/** Acts at once: a lease of a second, no grace worth waiting for. */
export const QUICK_POLICY = `
defaults: {lease: 1s, grace: 200ms, actions: act, idempotent: true, maxRetries: 1}
`;

export interface KafkaWorld {
  readonly prefix: string;
  readonly database: { readonly url: string };
  /** Another replica; stopped after the tests. */
  start(env?: Readonly<Record<string, string>>, policy?: string): Promise<TestService>;
  /** Events onto the topic, all with one key unless it is given: they stay together. */
  /** A string is sent as it is. */
  produce(events: readonly (object | string)[], options?: { readonly key?: string; readonly partition?: number }): Promise<void>;
  /** Everything that went out to a topic so far, in order. */
  read(topic: 'commands' | 'invalidations' | 'dead-letters'): Promise<readonly Sent[]>;
}

export interface Sent {
  readonly topic: string;
  readonly type: string;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The whole event, as it was sent. */
  readonly text: string;
  /** Its place among everything that was read. */
  readonly place: number;
}

/** For a spec file: a database and topics of its own on the shared broker. */
export function useKafkaWorld(partitions = 2): KafkaWorld {
  const prefix = useTopicPrefix();
  const database = useTestDatabase();
  const brokers = sharedBrokers();
  const services: TestService[] = [];
  let producer: Producer;
  let reader: Reader | null = null;
  beforeAll(async () => {
    producer = kafkaClient(brokers).producer({ allowAutoTopicCreation: false });
    await producer.connect();
  });
  afterAll(async () => {
    await Promise.all([producer.disconnect(), reader?.close(), ...services.map((service) => service.stop())]);
  });
  return {
    prefix,
    database,
    async start(env = {}, policy = QUICK_POLICY) {
      const service = await TestService.start(database.url, policy, {
        JOBWARDEN_KAFKA_BROKERS: brokers,
        JOBWARDEN_TOPIC_PREFIX: prefix,
        JOBWARDEN_KAFKA_PARTITIONS: String(partitions),
        ...env,
      });
      services.push(service);
      return service;
    },
    async produce(events, { key = 'one', partition } = {}) {
      const messages = events.map((one) => ({
        key,
        value: typeof one === 'string' ? one : JSON.stringify(one),
        ...(partition !== undefined && { partition }),
      }));
      await producer.send({ topic: `${prefix}events`, messages });
    },
    async read(topic) {
      reader ??= await Reader.open(brokers, prefix);
      return reader.sent.filter((one) => one.topic === `${prefix}${topic}`);
    },
  };
}

/** Waits until every partition is read by somebody. */
export async function untilRead(service: TestService, partitions: number): Promise<void> {
  await waitUntil('all partitions are read', async () => {
    const lanes = await lanesOf(service);
    return lanes.length === partitions && lanes.every((lane) => lane['watermark'] !== null);
  });
}

export async function lanesOf(service: TestService): Promise<readonly Item[]> {
  const { body } = await service.get('/v1/lanes');
  return body.items.filter((lane) => lane['transport'] === 'kafka');
}

export async function jobOf(service: TestService, id: string, queue = 'emails'): Promise<Body> {
  return (await service.get(`/v1/queues/${queue}/jobs/${id}`)).body;
}

export async function untilStatus(service: TestService, id: string, status: string): Promise<Body> {
  let last: Body | null = null;
  try {
    await waitUntil(`${id} is ${status}`, async () => {
      last = await jobOf(service, id);
      return last.status === status;
    });
  } catch (error) {
    throw new Error(JSON.stringify({ last, lanes: await lanesOf(service), logged: service.logged.filter((line) => !line.includes('request refused')).slice(-30) }, null, 1), { cause: error });
  }
  return last as unknown as Body;
}

/** While `work` runs nothing of any lane can be stored: what is sent meanwhile lies unread. */
export async function withLanesBlocked(databaseUrl: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM jobwarden.lanes WHERE lane >= 2 FOR UPDATE');
    await work();
  } finally {
    await client.query('ROLLBACK').finally(() => client.end());
  }
}

/** Reads what goes out, committed transactions only, from the beginning. */
class Reader {
  readonly sent: Sent[] = [];

  private constructor(private readonly consumer: Consumer) {}

  static async open(brokers: string, prefix: string): Promise<Reader> {
    const consumer = kafkaClient(brokers).consumer({ groupId: `${prefix}reader`, maxWaitTimeInMs: 100 });
    const reader = new Reader(consumer);
    await consumer.connect();
    await consumer.subscribe({
      topics: ['commands', 'invalidations', 'dead-letters'].map((topic) => `${prefix}${topic}`),
      fromBeginning: true,
    });
    await consumer.run({
      eachMessage: ({ topic, message }) => {
        const text = String(message.value);
        const { type, subject, data } = JSON.parse(text) as Pick<Sent, 'type' | 'subject' | 'data'>;
        reader.sent.push({ topic, type, subject, data, text, place: reader.sent.length });
        return Promise.resolve();
      },
    });
    return reader;
  }

  async close(): Promise<void> {
    await this.consumer.disconnect();
  }
}
