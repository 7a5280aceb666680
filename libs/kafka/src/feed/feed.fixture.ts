// A feed on a real broker with a receiver that keeps everything in memory.
import type { Admin, Kafka, Message, Producer } from 'kafkajs';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { FeedBatch, FeedPartition, FeedReceiver, FeedRecord, PartitionAnswers } from '#libs/application';
import { kafkaClient, waitUntil } from '#libs/testing';
import type { FeedObserver, KafkaFeedOptions } from './feed-options.js';
import { KafkaFeed } from './kafka-feed.js';

/** A log of its own: positions and what was stored, as one transaction would keep them together. */
export class MemoryReceiver implements FeedReceiver {
  readonly next = new Map<string, number | null>();
  readonly asked: FeedPartition[] = [];
  readonly told = new Set<string>();
  readonly given: string[] = [];
  readonly batches: FeedBatch[] = [];
  readonly stored: FeedRecord[] = [];
  /** Runs before anything of a batch is stored. */
  before: (batch: FeedBatch) => void | Promise<void> = () => undefined;
  beforeAssigned: () => void = () => undefined;
  /** What the feed gave to ask by, the last time it asked. */
  broker: PartitionAnswers | null = null;

  known(partitions: readonly FeedPartition[]): Promise<void> {
    for (const { name } of partitions) this.told.add(name);
    return Promise.resolve();
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- what it throws has to be a rejection
  async assigned(partitions: readonly FeedPartition[], broker: PartitionAnswers): Promise<readonly (number | null)[]> {
    this.broker = broker;
    this.beforeAssigned();
    this.asked.push(...partitions);
    return partitions.map(({ name, low }) => {
      if (!this.next.has(name)) this.next.set(name, low);
      return this.next.get(name) ?? null;
    });
  }

  async batch(batch: FeedBatch): Promise<void> {
    this.batches.push(batch);
    await this.before(batch);
    this.next.set(batch.name, batch.next);
    this.stored.push(...batch.records);
  }

  revoked(names: readonly string[]): void {
    this.given.push(...names);
  }

  /** What was stored, ticks left out. */
  get values(): readonly string[] {
    return this.stored.filter(({ tick }) => !tick).map(({ value }) => String(value));
  }

  get ticks(): number {
    return this.stored.filter(({ tick }) => tick).length;
  }
}

/** Everything that was told, as lines such as `paused kafka/t/0`. */
export class TellTale implements FeedObserver {
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  readonly ended = new Map<string, number>();

  assigned = (names: readonly string[]) => this.note('assigned', ...names);
  revoked = (names: readonly string[]) => this.note('revoked', ...names);
  paused = (name: string) => this.note('paused', name);
  resumed = (name: string) => this.note('resumed', name);
  stalled = (name: string) => this.note('stalled', name);
  restarted = () => this.note('restarted');
  failed = (what: string, error: unknown) => {
    this.errors.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  };
  ends = (ends: readonly { readonly name: string; readonly end: number }[]) => {
    for (const { name, end } of ends) this.ended.set(name, end);
  };

  count(word: string): number {
    return this.lines.filter((line) => line.startsWith(word)).length;
  }

  private note(...words: string[]): void {
    this.lines.push(words.join(' '));
  }
}

export interface TestFeed {
  readonly feed: KafkaFeed;
  readonly receiver: MemoryReceiver;
  readonly told: TellTale;
}

/** For a spec file: clients of a broker, topics of events, and feeds that end with the test that began them. */
export function useFeeds(brokers: () => string) {
  const open: { feeds: KafkaFeed[]; kafka?: Kafka; admin?: Admin; producer?: Producer } = { feeds: [] };
  // Asked for the first time the broker makes the topic of offsets, and refuses every group meanwhile.
  beforeAll(async () => {
    const asked = async () => (await admin()).fetchOffsets({ groupId: 'any', topics: [] });
    await waitUntil('the coordinator of groups', () => asked().then(() => true, () => false));
  });
  afterEach(async () => {
    await Promise.all(open.feeds.splice(0).map((feed) => feed.stop()));
  });
  afterAll(async () => {
    await Promise.all([open.admin?.disconnect(), open.producer?.disconnect()]);
  });
  const kafka = () => (open.kafka ??= kafkaClient(brokers(), { retry: { retries: 10, initialRetryTime: 50 } }));
  const admin = async () => {
    open.admin ??= kafka().admin();
    await open.admin.connect();
    return open.admin;
  };
  const send = async (topic: string, messages: Message[]) => {
    open.producer ??= kafka().producer({
      metadataMaxAge: 500,
      createPartitioner: () => ({ message }) => message.partition ?? 0,
    });
    await open.producer.connect();
    await open.producer.send({ topic, messages, acks: -1 });
  };
  return {
    kafka,
    admin,
    send,
    sendValues: (topic: string, values: readonly string[], partition = 0) =>
      send(topic, values.map((value) => ({ value, partition }))),
    deleteBefore: async (topic: string, offset: number) => {
      const it = await admin();
      // It deletes only where it has looked before.
      await it.fetchTopicOffsets(topic);
      await it.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] });
    },
    createEvents: async (prefix: string, numPartitions = 1, stamp = 'LogAppendTime') => {
      const topic = `${prefix}events`;
      const configEntries = [{ name: 'message.timestamp.type', value: stamp }];
      await (await admin()).createTopics({ topics: [{ topic, numPartitions, configEntries }], waitForLeaders: true });
      return topic;
    },
    startFeed: (topicPrefix: string, options: Partial<KafkaFeedOptions> = {}): TestFeed => {
      const [receiver, told] = [new MemoryReceiver(), new TellTale()];
      const feed = new KafkaFeed({
        settings: { brokers: brokers().split(','), topicPrefix, ssl: null, sasl: null },
        receiver,
        observer: told,
        clientId: 'feed',
        log: () => undefined,
        sessionTimeoutMs: 2_000,
        rebalanceTimeoutMs: 5_000,
        tickEveryMs: 50,
        watchEveryMs: 100,
        askEveryMs: 50,
        patienceMs: 300,
        ...options,
      });
      open.feeds.push(feed);
      feed.start();
      return { feed, receiver, told };
    },
  };
}
