import { join } from 'node:path';
import { createClient, type Client } from '@jobwarden/client';
import { createKafka, runId, withTrace, type KafkaBinding, type KafkaOptions } from '@jobwarden/kafka';
import { Redis as Connection } from 'ioredis';
import type { Admin, Consumer, IHeaders, Kafka, Producer } from 'kafkajs';
import { kafkaClient, sharedBrokers, startProcess, startRedis, waitUntil, type Redis, type TestProcess } from '#libs/testing';
import { Shipped } from '../../e2e/cases/shipped.js';

export const LEASE_MS = 1_000;

export interface StageOptions {
  readonly databaseUrl: string;
  /** Of topics and groups; see `useTopicPrefix`. */
  readonly prefix: string;
  /** Of queues by their names without the prefix. */
  readonly policies: Readonly<Record<string, string>>;
  /** Partitions, by their names without the prefix. */
  readonly topics: Readonly<Record<string, number>>;
}

/** A service that is connected to the shared broker, a real Redis, and consumers. */
export class KafkaStage {
  readonly client: Client;
  private readonly cleanUp: (() => Promise<unknown>)[] = [];
  private readonly kafka: Kafka = kafkaClient(sharedBrokers());
  readonly admin: Admin = this.kafka.admin();
  readonly producer: Producer = this.kafka.producer();

  private constructor(
    private readonly prefix: string,
    readonly service: Shipped,
    private readonly redis: Redis,
    readonly connection: Connection,
  ) {
    this.client = createClient({ url: service.url });
  }

  static async start({ databaseUrl, prefix, policies, topics }: StageOptions): Promise<KafkaStage> {
    const queues = Object.entries(policies).map(([name, policy]) => `  ${prefix}${name}: ${policy}\n`);
    const policy = `defaults: {lease: ${String(LEASE_MS)}ms, grace: 300ms, heartbeatTransport: http, backoff: {initial: 100ms, max: 100ms, jitter: 0}}\nqueues:\n${queues.join('')}`;
    const env = { JOBWARDEN_KAFKA_BROKERS: sharedBrokers(), JOBWARDEN_TOPIC_PREFIX: prefix, JOBWARDEN_KAFKA_PARTITIONS: '1' };
    const [service, redis] = await Promise.all([Shipped.start({ databaseUrl, policy, env }), startRedis()]);
    const stage = new KafkaStage(prefix, service, redis, new Connection(redis.url));
    await Promise.all([stage.admin.connect(), stage.producer.connect()]);
    const wanted = Object.entries(topics).map(([name, numPartitions]) => ({ topic: stage.named(name), numPartitions }));
    // Where the broker does not know of them yet it says that there are none.
    await stage.until('the topics', () => stage.admin.createTopics({ topics: wanted, waitForLeaders: true }).then(() => true, () => false));
    return stage;
  }

  named(name: string): string {
    return `${this.prefix}${name}`;
  }

  consumer(groupId: string): Consumer {
    const consumer = this.kafka.consumer({ groupId: this.named(groupId), maxWaitTimeInMs: 100 });
    this.cleanUp.push(() => consumer.disconnect());
    return consumer;
  }

  binding(groupId: string, options: Omit<KafkaOptions, 'groupId'> = {}): KafkaBinding {
    const made = createKafka({ groupId: this.named(groupId), client: this.client, ...options });
    this.cleanUp.push(() => made.close());
    return made;
  }

  async process(topic: string, id: string): Promise<TestProcess> {
    const settings = { topic, groupId: `${topic}-group`, retryTopic: `${topic}-retry`, id, leaseMs: LEASE_MS, brokers: sharedBrokers(), redisUrl: this.redis.url };
    const entry = join(import.meta.dirname, 'processes/consumer.mjs');
    const started = startProcess({ entry, env: { SETTINGS: JSON.stringify(settings), JOBWARDEN_URL: this.service.url } });
    this.cleanUp.push(() => started.kill());
    await started.waitForOutput(/joined/u);
    return started;
  }

  /** @returns the id of its run in a group. */
  async send(topic: string, value: object, { group, headers = {}, partition = 0 }: { readonly group: string; readonly headers?: IHeaders; readonly partition?: number }): Promise<string> {
    const createdMs = Date.now();
    const [answer] = await this.producer.send({ topic, messages: [withTrace({ partition, key: 'ada', value: JSON.stringify(value), headers, timestamp: String(createdMs) })] });
    return runId({ topic, partition, offset: answer?.baseOffset ?? '', createdMs, groupId: group });
  }

  /** The offset up to which a group has committed; -1: none. */
  async committed(groupId: string, topic: string, partition = 0): Promise<number> {
    const [of] = await this.admin.fetchOffsets({ groupId, topics: [topic] });
    return Number(of?.partitions.find((one) => one.partition === partition)?.offset ?? -1);
  }

  /** Of a group in which nobody is. */
  async rewind(groupId: string, topic: string): Promise<void> {
    await this.admin.resetOffsets({ groupId, topic, earliest: true });
  }

  async list(key: string): Promise<readonly string[]> {
    return await this.connection.lrange(key, 0, -1);
  }

  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    await waitUntil(what, holds, { withinMs: 30_000 });
  }

  async end(): Promise<void> {
    for (const step of this.cleanUp.splice(0).reverse()) await step();
    await Promise.all([this.admin.disconnect(), this.producer.disconnect()]);
    this.connection.disconnect();
    await Promise.all([this.service.end(), this.redis.stop()]);
  }
}
