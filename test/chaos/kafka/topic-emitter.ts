import type { Producer } from 'kafkajs';
import { kafkaClient } from '#libs/testing';
import { SOURCE, type SentEvent } from '../emitter.js';
import type { Sends } from '../load.js';

/** An emitter as users write it: an idempotent producer, and every event is repeated until all replicas in sync have it. */
export class TopicEmitter implements Sends {
  /** By id: each must be in the log exactly once. */
  readonly acknowledged = new Map<string, SentEvent>();
  private readonly producer: Producer;
  private count = 0;

  constructor(
    brokers: string,
    private readonly topic: string,
    private readonly stopped: AbortSignal,
  ) {
    this.producer = kafkaClient(brokers).producer({ idempotent: true, maxInFlightRequests: 1, retry: { retries: 1_000 } });
  }

  async connect(): Promise<void> {
    await this.producer.connect();
  }

  async close(): Promise<void> {
    await this.producer.disconnect();
  }

  nextId(): string {
    this.count += 1;
    return `e${String(this.count)}`;
  }

  async send(events: readonly SentEvent[]): Promise<boolean> {
    const messages = events.map((event) => ({
      key: `default/${event.data.queue}/${event.subject}`,
      value: JSON.stringify({ specversion: '1.0', source: SOURCE, ...event }),
      headers: { 'content-type': 'application/cloudevents+json' },
    }));
    while (!this.stopped.aborted) {
      try {
        await this.producer.send({ topic: this.topic, acks: -1, messages });
        for (const event of events) this.acknowledged.set(event.id, event);
        return true;
      } catch {
        // the broker is away: again, with the same ids
      }
    }
    return false;
  }
}
