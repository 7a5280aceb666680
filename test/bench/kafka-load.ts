import { Partitioners, type Producer } from 'kafkajs';
import { kafkaClient, startBroker, type Broker } from '#libs/testing';
import type { SentEvent } from './job-load.js';

/** A broker of its own, and topics as the service would make them. */
export class KafkaBench {
  private constructor(
    readonly broker: Broker,
    readonly prefix: string,
    private readonly producer: Producer,
  ) {}

  static async start(partitions: number): Promise<KafkaBench> {
    const broker = await startBroker();
    const kafka = kafkaClient(broker.brokers);
    const admin = kafka.admin();
    await admin.connect();
    const prefix = 'bench.';
    const times = [{ name: 'message.timestamp.type', value: 'LogAppendTime' }];
    await admin.createTopics({
      waitForLeaders: true,
      topics: [
        { topic: `${prefix}events`, numPartitions: partitions, replicationFactor: 1, configEntries: times },
        ...['commands', 'invalidations', 'dead-letters', 'incidents'].map((name) => ({
          topic: `${prefix}${name}`,
          numPartitions: partitions,
          replicationFactor: 1,
        })),
      ],
    });
    await admin.disconnect();
    const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    return new KafkaBench(broker, prefix, producer);
  }

  /** A broker for as long as the work takes. */
  static async during<T>(partitions: number, work: (broker: KafkaBench) => Promise<T>): Promise<T> {
    const broker = await KafkaBench.start(partitions);
    try {
      return await work(broker);
    } finally {
      await broker.stop();
    }
  }

  /** Of the service under test. */
  get settings(): Readonly<Record<string, string>> {
    return { JOBWARDEN_KAFKA_BROKERS: this.broker.brokers, JOBWARDEN_TOPIC_PREFIX: this.prefix };
  }

  async produce(events: readonly SentEvent[]): Promise<void> {
    const messages = events.map((event) => ({
      key: `default/${(event['data'] as { queue: string }).queue}/${String(event['subject'])}`,
      value: JSON.stringify(event),
      headers: { 'content-type': 'application/cloudevents+json' },
    }));
    await this.producer.send({ topic: `${this.prefix}events`, acks: -1, messages });
  }

  async stop(): Promise<void> {
    await this.producer.disconnect();
    await this.broker.stop();
  }
}
