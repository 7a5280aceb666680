import type { Producer } from 'kafkajs';
import { kafkaClient, waitUntil } from '#libs/testing';
import { TopicReader } from '../../chaos/kafka/topic-reader.js';
import { Subscriber, type Message } from '../../chaos/subscriber.js';
import { enveloped, type CloudEvent, type Shipped } from './shipped.js';

/** How events come to the service and its commands to a queue: over HTTP and a stream, or over topics. */
export interface WayIn {
  send(events: readonly CloudEvent[]): Promise<void>;
  /** Every command that went out, in the order in which it came. */
  readonly commands: readonly Message[];
  close(): Promise<void>;
}

export function overHttp(service: Shipped): WayIn {
  const stopped = new AbortController();
  const subscriber = new Subscriber(`${service.url}/v1/streams/commands?from=start`, stopped.signal);
  return {
    commands: subscriber.messages,
    send: async (events) => {
      await service.send(events);
    },
    close: async () => {
      stopped.abort();
      await subscriber.ended();
    },
  };
}

export interface Topics {
  readonly brokers: string;
  readonly prefix: string;
}

/** For a service that makes its topics: it is ready before they are. */
export class OverTopics implements WayIn {
  private constructor(
    private readonly topics: Topics,
    private readonly producer: Producer,
    readonly reader: TopicReader,
  ) {}

  static async open(topics: Topics): Promise<OverTopics> {
    await untilMade(topics);
    const producer = kafkaClient(topics.brokers).producer({ allowAutoTopicCreation: false });
    const reader = new TopicReader(topics.brokers, `${topics.prefix}commands`);
    await Promise.all([producer.connect(), reader.start()]);
    return new OverTopics(topics, producer, reader);
  }

  get commands(): readonly Message[] {
    return this.reader.messages;
  }

  async send(events: readonly CloudEvent[]): Promise<void> {
    const messages = events.map((event) => ({ key: event.subject, value: JSON.stringify(enveloped(event)) }));
    await this.producer.send({ topic: `${this.topics.prefix}events`, acks: -1, messages });
  }

  /** How far each partition of the events reaches, ticks included. */
  async ends(): Promise<readonly (readonly [partition: number, end: number])[]> {
    const admin = kafkaClient(this.topics.brokers).admin();
    await admin.connect();
    try {
      const offsets = await admin.fetchTopicOffsets(`${this.topics.prefix}events`);
      return offsets.map(({ partition, high }) => [partition, Number(high)] as const);
    } finally {
      await admin.disconnect();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.producer.disconnect(), this.reader.close()]);
  }
}

async function untilMade({ brokers, prefix }: Topics): Promise<void> {
  const admin = kafkaClient(brokers).admin();
  await admin.connect();
  try {
    await waitUntil('the topics have leaders', async () => {
      const wanted = [`${prefix}events`, `${prefix}commands`];
      const there = await admin.listTopics();
      if (!wanted.every((topic) => there.includes(topic))) return false;
      const { topics } = await admin.fetchTopicMetadata({ topics: wanted });
      return topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0));
    });
  } finally {
    await admin.disconnect();
  }
}

export function topicSettings({ brokers, prefix }: Topics, partitions = 2): Readonly<Record<string, string>> {
  return {
    JOBWARDEN_KAFKA_BROKERS: brokers,
    JOBWARDEN_TOPIC_PREFIX: prefix,
    JOBWARDEN_KAFKA_PARTITIONS: String(partitions),
    JOBWARDEN_KAFKA_REPLICATION: '1',
  };
}
