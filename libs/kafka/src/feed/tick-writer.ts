import type { Kafka, Producer } from 'kafkajs';
import { Loop } from '#libs/application';
import { within } from './deadline.js';
import { TICK_HEADER } from './read-batch.js';
import type { TickAnswers } from './tick-answers.js';

/** Longer than a broker that is well ever takes; and short against the silence that counts as a gap. */
const SENT_WITHIN_MS = 2_000;
/** New partitions are unknown to the producer for as long, and what is sent to one of them is dropped in silence. */
const METADATA_AGE_MS = 2_000;

export interface TickWriterParts {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly everyMs: number;
  /** Partitions that brought nothing but ticks lately, or are unsure. */
  readonly quiet: () => readonly number[];
  readonly answers: TickAnswers;
  readonly failed: (error: unknown) => void;
}

/**
 * Writes a record that says nothing but its append time into every quiet partition, so that a lane is known to have been
 * read up to a moment ago. Goes on whatever becomes of the reading.
 *
 * It counts once all replicas in sync have it, as a careful emitter's events do: where too few are in sync nobody's beats
 * come, and ticks of the leader alone would say that their senders are silent.
 *
 * All partitions go in one request per broker. After a failure each goes alone: one broker that does not answer must not
 * keep the partitions of the others waiting.
 */
export class TickWriter {
  private producer: Promise<Producer> | null = null;
  private alone = false;
  private readonly loop: Loop;

  constructor(private readonly parts: TickWriterParts) {
    this.loop = new Loop(() => this.step(), { idleMs: parts.everyMs, onError: parts.failed });
  }

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
    await this.drop();
  }

  private async step(): Promise<boolean> {
    const partitions = this.parts.quiet();
    if (partitions.length === 0) return false;
    const groups = this.alone ? partitions.map((partition) => [partition]) : [partitions];
    const producer = (this.producer ??= this.connect());
    const sent = await Promise.allSettled(groups.map((group) => this.send(producer, group)));
    const failures = sent.filter((result) => result.status === 'rejected');
    this.alone = failures.length > 0;
    if (failures.length === groups.length) {
      void this.drop();
      throw failures[0]?.reason;
    }
    for (const { reason } of failures) this.parts.failed(reason);
    return false;
  }

  private async send(producer: Promise<Producer>, partitions: readonly number[]): Promise<void> {
    const messages = partitions.map((partition) => ({
      partition,
      key: null,
      value: Buffer.alloc(0),
      headers: { [TICK_HEADER]: '1' },
    }));
    const { topic, answers } = this.parts;
    for (const partition of partitions) answers.sent(partition, performance.now());
    try {
      const sending = producer.then((it) => it.send({ topic, acks: -1, timeout: SENT_WITHIN_MS, messages }));
      const written = await within(SENT_WITHIN_MS, `a tick for ${topic}`, sending);
      for (const { partition, baseOffset } of written) answers.acknowledged(partition, Number(baseOffset), performance.now());
    } catch (error) {
      for (const partition of partitions) answers.failed(partition);
      throw error;
    }
  }

  private async connect(): Promise<Producer> {
    const producer = this.parts.kafka.producer({
      allowAutoTopicCreation: false,
      metadataMaxAge: METADATA_AGE_MS,
      retry: { retries: 1, initialRetryTime: 50 },
      createPartitioner: () => ({ message }) => message.partition ?? 0,
    });
    await producer.connect();
    return producer;
  }

  private async drop(): Promise<void> {
    const producer = this.producer;
    this.producer = null;
    await producer?.then((it) => within(SENT_WITHIN_MS, 'leaving the broker', it.disconnect())).catch(() => undefined);
  }
}
