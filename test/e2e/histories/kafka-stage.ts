import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Kafka, logLevel, type Consumer, type Producer } from 'kafkajs';
import pg from 'pg';
import './quiet-kafkajs.js';
import { Api, type CloudEvent } from './api.js';
import type { Command } from './commands.js';
import { startService, type Service } from './service.js';
import type { Stage } from './stage.js';

export interface KafkaStageOptions {
  readonly policy: string;
  readonly brokers: string;
  /** The superuser's, of a server where a database can be made. */
  readonly adminUrl: string;
  readonly partitions: number;
}

interface LaneRow {
  readonly lane: string;
  readonly next?: number;
}

/** Ways in and out over a real broker. Half-way a second replica comes, takes over partitions, and leaves again. */
export class KafkaStage implements Stage {
  private readonly services: Service[] = [];
  private readonly prefix = `history-${randomUUID()}.`;
  private readonly kafka: Kafka;
  private readonly producer: Producer;
  private readonly consumer: Consumer;
  private readonly received = new Map<string, Command>();
  private settings: Record<string, string> = {};
  private service: Api | null = null;
  readonly oneIn = 150;
  /** What the group had to share out anew. */
  rebalances = 0;

  constructor(private readonly options: KafkaStageOptions) {
    this.kafka = new Kafka({ brokers: options.brokers.split(','), logLevel: logLevel.NOTHING, retry: { retries: 100 } });
    this.producer = this.kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    this.consumer = this.kafka.consumer({ groupId: `${this.prefix}reader`, metadataMaxAge: 5_000 });
  }

  get api(): Api {
    if (this.service === null) throw new Error('the stage is not open');
    return this.service;
  }

  readonly commands = {
    enqueues: (): readonly Command[] => [...this.received.values()],
    until: async (count: number): Promise<void> => {
      const deadline = Date.now() + 60_000;
      while (this.received.size < count) {
        if (Date.now() > deadline) throw new Error(`${String(this.received.size)} of ${String(count)} commands came`);
        await delay(2);
      }
    },
  };

  async open(): Promise<void> {
    const name = `history_${randomUUID().replaceAll('-', '')}`;
    const admin = new pg.Client({ connectionString: this.options.adminUrl });
    await admin.connect();
    await admin.query(`create database ${name} template template0`);
    await admin.end();
    const url = new URL(this.options.adminUrl);
    url.pathname = `/${name}`;
    this.settings = {
      JOBWARDEN_DATABASE_URL: url.href,
      JOBWARDEN_KAFKA_BROKERS: this.options.brokers,
      JOBWARDEN_TOPIC_PREFIX: this.prefix,
      JOBWARDEN_KAFKA_PARTITIONS: String(this.options.partitions),
      JOBWARDEN_KAFKA_REPLICATION: '1',
    };
    const service = await startService(this.options.policy, this.settings);
    this.services.push(service);
    this.service = new Api(service.url);
    await this.lanes((rows) => rows.length === this.options.partitions);
    await this.commandsHaveLeaders();
    await this.producer.connect();
    await this.consumer.connect();
    await this.consumer.subscribe({ topic: `${this.prefix}commands`, fromBeginning: true });
    await this.consumer.run({
      eachMessage: ({ message }) => {
        const command = JSON.parse(String(message.value)) as Command;
        if (command.type === 'jobwarden.command.enqueue.v1') this.received.set(command.id, command);
        return Promise.resolve();
      },
    });
  }

  /** Produced, and then read: the clock may move on. */
  async send(events: readonly CloudEvent[]): Promise<void> {
    const topic = `${this.prefix}events`;
    const partitions = this.options.partitions;
    const messages = events.map((event) => ({
      key: `default/${String(event.data['queue'])}/${event.subject}`,
      partition: placeOf(event.subject, partitions),
      value: JSON.stringify(event),
      headers: { 'content-type': 'application/cloudevents+json' },
    }));
    const written = await this.producer.send({ topic, acks: -1, messages });
    const ends = new Map(
      written.map(({ partition, baseOffset }) => {
        const count = messages.filter((message) => message.partition === partition).length;
        return [`kafka/${topic}/${String(partition)}`, Number(baseOffset ?? 0) + count];
      }),
    );
    await this.lanes((rows) => rows.every(({ lane, next }) => (next ?? 0) >= (ends.get(lane) ?? 0)));
  }

  async at(share: number): Promise<void> {
    if (share >= 0.5 && this.services.length === 1) {
      // It reads and decides; requests go to the first one.
      this.services.push(await startService(this.options.policy, { ...this.settings, JOBWARDEN_ROLES: 'work' }));
      this.rebalances += 1;
    }
    if (share >= 0.75 && this.rebalances === 1) {
      await this.services[1]?.stop();
      this.rebalances += 1;
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.producer.disconnect(), this.consumer.disconnect()]);
    await this.services[0]?.stop();
    if (this.rebalances === 1) await this.services[1]?.stop();
  }

  /** A group that is made while a partition has no leader reads without it for a while. */
  private async commandsHaveLeaders(): Promise<void> {
    const admin = this.kafka.admin();
    await admin.connect();
    const deadline = Date.now() + 60_000;
    for (;;) {
      const { topics } = await admin.fetchTopicMetadata({ topics: [`${this.prefix}commands`] });
      const leaders = topics.flatMap(({ partitions }) => partitions.map(({ leader }) => leader));
      if (leaders.length === this.options.partitions && leaders.every((leader) => leader >= 0)) break;
      if (Date.now() > deadline) throw new Error(`the topic of commands has no leaders: ${JSON.stringify(topics)}`);
      await delay(50);
    }
    await admin.disconnect();
  }

  private async lanes(are: (rows: readonly LaneRow[]) => boolean): Promise<void> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const rows = (await this.api.all<LaneRow>('/v1/lanes')).filter(({ lane }) => lane.startsWith('kafka/'));
      if (are(rows)) return;
      if (Date.now() > deadline) throw new Error(`what was produced was not read: ${JSON.stringify(rows)}`);
      await delay(2);
    }
  }
}

/** By the job alone, as any partitioner by key would. */
function placeOf(subject: string, partitions: number): number {
  let hash = 0;
  for (const char of subject) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  return hash % partitions;
}
