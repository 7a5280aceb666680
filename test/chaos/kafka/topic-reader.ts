import { randomUUID } from 'node:crypto';
import type { Consumer } from 'kafkajs';
import { kafkaClient } from '#libs/testing';
import type { Message } from '../subscriber.js';

/** One record as the broker has it. */
export interface Published {
  readonly message: Message;
  /** Append time of the broker, ms. */
  readonly atMs: number;
  readonly partition: number;
  readonly offset: number;
}

/** Reads a topic from its first record on, as a group of its own. */
export class TopicReader {
  /** In the order of each partition. */
  readonly published: Published[] = [];
  private readonly consumer: Consumer;

  constructor(
    private readonly brokers: string,
    private readonly topic: string,
    private readonly onMessage: (message: Message) => void = () => undefined,
  ) {
    this.consumer = kafkaClient(brokers).consumer({ groupId: `reader-${randomUUID()}`, retry: { retries: 1_000 } });
  }

  get messages(): readonly Message[] {
    return this.published.map((p) => p.message);
  }

  async start(): Promise<void> {
    await this.consumer.connect();
    await this.consumer.subscribe({ topic: this.topic, fromBeginning: true });
    await this.consumer.run({
      eachMessage: ({ partition, message: { value, timestamp, offset } }) => {
        const message = JSON.parse(String(value)) as Message;
        this.published.push({ message, atMs: Number(timestamp), partition, offset: Number(offset) });
        this.onMessage(message);
        return Promise.resolve();
      },
    });
  }

  /** Resolves when everything is read that is in the topic now. */
  async drained(): Promise<void> {
    const admin = kafkaClient(this.brokers).admin();
    await admin.connect();
    const ends = await admin.fetchTopicOffsets(this.topic);
    await admin.disconnect();
    const wanted = ends.filter(({ low, high }) => Number(high) > Number(low));
    const read = (): boolean =>
      wanted.every(({ partition, high }) =>
        this.published.some((p) => p.partition === partition && p.offset >= Number(high) - MARKERS),
      );
    const deadline = Date.now() + 60_000;
    while (!read()) {
      if (Date.now() > deadline) throw new Error(`${this.topic} could not be read to its end`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async close(): Promise<void> {
    await this.consumer.disconnect();
  }
}

/** A producer with transactions leaves a marker behind each, which takes an offset and is never handed out. */
const MARKERS = 2;
