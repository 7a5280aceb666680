import type { Message, Producer, RecordMetadata } from 'kafkajs';
import { kafkaClient } from '#libs/testing';
import { SOURCE, type SentEvent } from '../../chaos/emitter.js';

export interface FirmProducerOptions {
  readonly brokers: string;
  readonly topic: string;
  readonly partitions: number;
}

/** By the job alone, as any partitioner by key would. */
function placeOf(subject: string, partitions: number): number {
  let hash = 0;
  for (const char of subject) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  return hash % partitions;
}

/**
 * A producer as users write it: idempotent, one request under way at a time, and each repeated until all replicas in sync
 * have it.
 */
export class FirmProducer {
  private producer: Producer | null = null;

  constructor(private readonly options: FirmProducerOptions) {}

  /** What the brokers have answered, by partition; null: it was told to stop first. */
  async send(events: readonly SentEvent[], stopped: () => boolean): Promise<readonly RecordMetadata[] | null> {
    const { topic, partitions } = this.options;
    const messages = events.map(
      (event): Message => ({
        key: `default/${event.data.queue}/${event.subject}`,
        partition: placeOf(event.subject, partitions),
        value: JSON.stringify({ specversion: '1.0', source: SOURCE, ...event }),
        headers: { 'content-type': 'application/cloudevents+json' },
      }),
    );
    while (!stopped()) {
      try {
        this.producer ??= await this.connect();
        const written = await this.producer.send({ topic, acks: -1, messages });
        // A leader that moves while kafkajs repeats a request can leave partitions out, and all is said to be well.
        const answered = new Set(written.map(({ partition }) => partition));
        if (!messages.every(({ partition }) => answered.has(partition ?? -1))) throw new Error('a partition has not answered');
        return written;
      } catch {
        // The brokers are away: again, with the same ids, and by another producer, as this one's numbers may be astray.
        await this.producer?.disconnect().catch(() => undefined);
        this.producer = null;
      }
    }
    return null;
  }

  async close(): Promise<void> {
    await this.producer?.disconnect();
  }

  /** It has to be heard again within a lease after an outage: no pause between two tries may be longer than that. */
  private async connect(): Promise<Producer> {
    const retry = { initialRetryTime: 100, maxRetryTime: 500, retries: 60 };
    const kafka = kafkaClient(this.options.brokers, { requestTimeout: 2_000, connectionTimeout: 1_000, retry });
    const createPartitioner = () => ({ message }: { readonly message: Message }) => message.partition ?? 0;
    const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1, createPartitioner, retry });
    await producer.connect();
    return producer;
  }
}
