// The way in from a real broker to a real database, as the server puts it together, without the server.
import type { Admin, Consumer, Message, Producer } from 'kafkajs';
import { Loop } from '#libs/application';
import { KafkaFeed, type FeedObserver, type KafkaFeedOptions } from '#libs/kafka';
import { kafkaClient, sharedBrokers, waitUntil } from '#libs/testing';
import { LaneWorld, type Reader } from '../int/lanes/lane-world.js';

export interface LaneFeed extends Reader {
  readonly feed: KafkaFeed;
  /** How often each was told. */
  readonly told: Record<'assigned' | 'revoked' | 'paused' | 'resumed' | 'restarted', number>;
  /** Where partitions end, by name. */
  readonly ends: Map<string, number>;
  stop(): Promise<void>;
}

export class LaneFeeds {
  readonly world: LaneWorld;
  readonly topic: string;
  private readonly kafka = kafkaClient(sharedBrokers(), { retry: { retries: 10, initialRetryTime: 50 } });
  readonly admin: Admin = this.kafka.admin();
  private readonly producer: Producer = this.kafka.producer({ createPartitioner: () => ({ message }) => message.partition ?? 0 });
  private readonly open: LaneFeed[] = [];

  constructor(
    url: string,
    private readonly prefix: string,
  ) {
    this.world = new LaneWorld(url);
    this.topic = `${prefix}events`;
  }

  async connect(partitions: number): Promise<void> {
    await Promise.all([this.admin.connect(), this.producer.connect()]);
    await this.createTopic(partitions);
    // Asked for the first time the broker makes the topic of offsets, and refuses every group meanwhile.
    const asked = async () => await this.admin.fetchOffsets({ groupId: 'any', topics: [] });
    await waitUntil('the coordinator of groups', () => asked().then(() => true, () => false));
  }

  async createTopic(numPartitions: number): Promise<void> {
    const configEntries = [{ name: 'message.timestamp.type', value: 'LogAppendTime' }];
    const topics = [{ topic: this.topic, numPartitions, configEntries }];
    await waitUntil('the topic', () => this.admin.createTopics({ topics, waitForLeaders: true }).catch(() => false));
  }

  async send(messages: Message[]): Promise<void> {
    await this.producer.send({ topic: this.topic, messages, acks: -1 });
  }

  /** `queued` events of new jobs, by the ids of both. */
  queued(ids: readonly string[], partition = 0): Message[] {
    return ids.map((id) => ({ key: `/q/${id}`, partition, value: this.world.event('queued', id, {}, id) }));
  }

  /** A replica's: the feed, its lanes, and the loop that stores what ticks have moved. */
  start(options: Partial<KafkaFeedOptions> = {}): LaneFeed {
    const reader = this.world.reader();
    const told = { assigned: 0, revoked: 0, paused: 0, resumed: 0, restarted: 0 };
    const ends = new Map<string, number>();
    const count = (what: keyof typeof told) => () => void (told[what] += 1);
    const observer: FeedObserver = {
      assigned: count('assigned'),
      revoked: count('revoked'),
      paused: count('paused'),
      resumed: count('resumed'),
      restarted: count('restarted'),
      stalled: () => undefined,
      failed: () => undefined,
      ends: (all) => all.forEach(({ name, end }) => ends.set(name, end)),
    };
    const feed = new KafkaFeed({
      settings: { brokers: sharedBrokers().split(','), topicPrefix: this.prefix, ssl: null, sasl: null },
      receiver: reader.lanes,
      clientId: 'feed',
      observer,
      log: () => undefined,
      sessionTimeoutMs: 1_000,
      rebalanceTimeoutMs: 5_000,
      tickEveryMs: 100,
      watchEveryMs: 100,
      askEveryMs: 100,
      patienceMs: 300,
      ...options,
    });
    const flushing = new Loop(() => reader.lanes.flush().then(() => false), { idleMs: 100, onError: () => undefined });
    const stop = async () => {
      await feed.pause();
      await flushing.stop();
      await reader.lanes.flush();
      await feed.stop();
    };
    const started = { ...reader, feed, told, ends, stop };
    this.open.push(started);
    feed.start();
    flushing.start();
    return started;
  }

  /** A consumer as one would write it: with the session of ours, and a batch that never ends by itself. */
  async plainReader(groupId: string): Promise<{ readonly consumer: Consumer; readonly release: () => void }> {
    const consumer = this.kafka.consumer({ groupId, sessionTimeout: 1_000, heartbeatInterval: 200, maxWaitTimeInMs: 100 });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await consumer.connect();
    await consumer.subscribe({ topics: [this.topic], fromBeginning: true });
    await consumer.run({ eachBatch: () => held });
    return { consumer, release };
  }

  async stored(count: number): Promise<void> {
    await waitUntil(`${count} events are stored`, async () => (await this.world.ids()).length >= count, { withinMs: 40_000, everyMs: 50 });
  }

  async close(): Promise<void> {
    await Promise.all(this.open.map((one) => one.stop()));
    await Promise.all([this.admin.disconnect(), this.producer.disconnect(), this.world.inner.close()]);
  }
}
