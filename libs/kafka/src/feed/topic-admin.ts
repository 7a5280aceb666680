import type { Admin, Kafka } from 'kafkajs';
import type { FeedPartition, PartitionAnswers } from '#libs/application';
import { ConfigResourceTypes } from '../client/kafkajs-values.js';
import { within } from './deadline.js';
import { laneName } from './read-batch.js';

const ANSWER_MS = 10_000;

/** What is asked about the topic. A connection that failed once is given up: the next question makes another. */
export class TopicAdmin implements PartitionAnswers {
  private connection: Promise<Admin> | null = null;
  private origin: string | null = null;
  private refuse: (why: Error) => void = () => undefined;
  private readonly closed = new Promise<never>((_, reject) => {
    this.refuse = reject;
  });

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
  ) {
    this.closed.catch(() => undefined);
  }

  /** All partitions, with the first offset that is still there and the one that comes next. */
  async look(): Promise<readonly FeedPartition[]> {
    return await this.use('partitions and ends of the topic', async (admin) => {
      const origin = (this.origin ??= (await admin.describeCluster()).clusterId);
      const { topics } = await admin.fetchTopicMetadata({ topics: [this.topic] });
      const offsets = await admin.fetchTopicOffsets(this.topic);
      // It goes by what it knew when it first asked, and never hears of new ones. Half an answer would be a wrong one.
      if (offsets.length !== topics[0]?.partitions.length) throw new Error('the number of partitions has changed');
      return offsets
        .map(({ partition, low, high }) => ({
          name: laneName(this.topic, partition),
          low: Number(low),
          high: Number(high),
          origin,
        }))
        .sort((a, b) => (a.name.length === b.name.length ? (a.name < b.name ? -1 : 1) : a.name.length - b.name.length));
    });
  }

  async now(name: string): Promise<FeedPartition> {
    return known(name, (await this.look()).find((partition) => partition.name === name));
  }

  async firstAfter(name: string, timeMs: number): Promise<number> {
    return await this.use('the first record after a time', async (admin) => {
      const offsets = await admin.fetchTopicOffsetsByTimestamp(this.topic, timeMs + 1);
      return Number(known(name, offsets.find(({ partition }) => laneName(this.topic, partition) === name)).offset);
    });
  }

  /** Settings of the topic, by name. */
  async settings(): Promise<ReadonlyMap<string, string>> {
    return await this.use('settings of the topic', async (admin) => {
      const resources = [{ type: ConfigResourceTypes.TOPIC, name: this.topic }];
      const described = await admin.describeConfigs({ includeSynonyms: false, resources });
      const entries = described.resources[0]?.configEntries ?? [];
      return new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
    });
  }

  /** Nobody waits for an answer any longer, nor gets one. */
  async close(): Promise<void> {
    this.refuse(new Error('the reader has ended'));
    await this.drop();
  }

  private async use<T>(what: string, work: (admin: Admin) => Promise<T>): Promise<T> {
    const connection = (this.connection ??= this.connect());
    try {
      return await within(ANSWER_MS, what, Promise.race([this.closed, connection.then(work)]));
    } catch (error) {
      if (this.connection === connection) void this.drop();
      throw error;
    }
  }

  private async connect(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }

  private async drop(): Promise<void> {
    const connection = this.connection;
    this.connection = null;
    this.origin = null;
    await connection?.then((admin) => within(ANSWER_MS, 'leaving the broker', admin.disconnect())).catch(() => undefined);
  }
}

function known<T>(name: string, found: T | undefined): T {
  if (found === undefined) throw new Error(`the broker does not know of ${name}`);
  return found;
}
