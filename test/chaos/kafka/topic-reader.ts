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
    brokers: string,
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

  async close(): Promise<void> {
    await this.consumer.disconnect();
  }
}
