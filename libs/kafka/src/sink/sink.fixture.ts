import type { MessageKind, OutboundMessage, ShardLease } from '#libs/application';
import { kafkaClient, sharedBrokers, waitUntil } from '#libs/testing';
import type { Consumer } from 'kafkajs';
import { ConfigResourceTypes } from '../client/kafkajs-values.js';
import { createClient } from '../client/client.js';
import type { KafkaSettings } from '../client/settings.js';
import { ensureTopics } from '../topics/ensure-topics.js';

export function settingsOf(brokers: string, topicPrefix: string): KafkaSettings {
  return { brokers: brokers.split(','), topicPrefix, ssl: null, sasl: null };
}

export async function makeTopics(settings: KafkaSettings, partitions = 3): Promise<void> {
  await ensureTopics(createClient(settings, 'test'), settings, { partitions });
}

export function lease(shard: number, fence = 1): ShardLease {
  return { shard, holder: 'test', fence, checkpoint: 0, incidentCheckpoint: 0 };
}

const TYPES: Readonly<Partial<Record<MessageKind, string>>> = {
  enqueue: 'jobwarden.command.enqueue.v1',
  stop: 'jobwarden.command.stop.v1',
  invalidation: 'jobwarden.invalidation.v1',
};

/** `number` tells them apart; `text` makes it as large as wanted. */
export function message(number: number, job: string, kind: MessageKind = 'enqueue', text = ''): OutboundMessage {
  const envelope = { specversion: '1.0', id: `${kind}-${String(number)}`, source: 'jobwarden', type: TYPES[kind] };
  return {
    position: { shard: 0, number },
    kind,
    keyHex: '',
    queueId: 1,
    orderKey: `default/q/${job}`,
    outcome: 'sent',
    detail: null,
    laneMs: 0,
    message: JSON.stringify({ ...envelope, subject: job, data: { text } }),
    webhooks: [],
  };
}

export interface SeenRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly id: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Everything that arrives in topics, from their beginning, in order per partition. */
export class Reader {
  readonly seen: SeenRecord[] = [];
  private readonly consumer: Consumer;

  constructor(prefix: string, brokers = sharedBrokers(), options: { readonly readUncommitted?: boolean } = {}) {
    const retry = { initialRetryTime: 100, maxRetryTime: 500, retries: 50 };
    const readUncommitted = options.readUncommitted ?? false;
    const groupId = `${prefix}reader-${String(readUncommitted)}`;
    this.consumer = kafkaClient(brokers, { retry }).consumer({ groupId, maxWaitTimeInMs: 50, readUncommitted, retry });
  }

  async start(topics: readonly string[]): Promise<void> {
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await this.consumer.run({
      eachMessage: ({ topic, partition, message: { key, value, headers } }) => {
        const text = String(value);
        const { id } = JSON.parse(text) as { id: string };
        const named = Object.entries(headers ?? {}).map(([name, bytes]) => [name, String(bytes)] as const);
        this.seen.push({ topic, partition, key: String(key), id, value: text, headers: Object.fromEntries(named) });
        return Promise.resolve();
      },
    });
  }

  ids(): string[] {
    return this.seen.map((record) => record.id);
  }

  async stop(): Promise<void> {
    await this.consumer.disconnect();
  }
}

/** The topic's limit, as an operator sets it; the controller answers before the broker goes by it. */
export async function limitTopic(brokers: string, topic: string, bytes: number): Promise<void> {
  const admin = kafkaClient(brokers).admin();
  await admin.connect();
  const configEntries = [{ name: 'max.message.bytes', value: String(bytes) }];
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }];
  // The library promises nothing about what is answered.
  await (admin.alterConfigs({ validateOnly: false, resources }) as Promise<unknown>);
  const asked = { type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['max.message.bytes'] };
  await waitUntil('the broker has the limit', async () => {
    const { resources: answers } = await admin.describeConfigs({ includeSynonyms: false, resources: [asked] });
    return answers[0]?.configEntries[0]?.configValue === String(bytes);
  });
  await admin.disconnect();
}
