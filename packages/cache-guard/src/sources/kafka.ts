import { randomUUID } from 'node:crypto';
import type { InvalidationSource, SourceItem } from '../invalidation.js';
import { Inbox } from './inbox.js';
import { KafkaPlaces } from './kafka-places.js';
import type { KafkaBatchPayload, KafkaConsumer, KafkaLike } from './kafkajs.js';
import { fieldOf, itemOf } from './read-event.js';

export interface KafkaOptions {
  /** `new Kafka({ brokers })` of kafkajs. Its connections keep the process alive until the guard is closed. */
  readonly kafka: KafkaLike;
  /** As the service has it (`JOBWARDEN_TOPIC_PREFIX`). Default `jobwarden.invalidations`. */
  readonly topic?: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** Of the name of the consumer group that each process has for itself; it commits nothing. Default `jobwarden-cache-guard`. */
  readonly groupPrefix?: string;
  /** How often the brokers are asked where the topic ends and what of it is left, ms. Default 5,000. */
  readonly lookEveryMs?: number;
}

/**
 * Invalidations off the topic.
 *
 *   joined ──► from where the shared store was brought to ──► records, in the order of each partition
 *                └── gone: reset, and on with what is there       └── the brokers are asked every `lookEveryMs`: a sign of life,
 *                                                                     how far behind, or that what comes next is gone: reset
 *
 * Every process reads all partitions, in a group of its own, and keeps its places by itself: kafkajs goes on somewhere else
 * without a word when an offset is gone. The invalidations of one shard lie in several partitions, so a position is known as
 * read only by itself, and not by a higher one of its shard.
 *
 * Not seen: a topic that is made anew and has grown beyond the old place before anybody looked.
 */
export function kafkaInvalidations(options: KafkaOptions): InvalidationSource {
  const { topic = 'jobwarden.invalidations', namespace = 'default' } = options;
  return { name: `kafka:${topic}:${namespace}`, ordered: false, follow: (from, signal) => follow({ ...options, topic, namespace }, from, signal) };
}

type Asked = KafkaOptions & { readonly topic: string; readonly namespace: string };

/** How long a broker may keep a fetch that finds nothing, and so how long the end of the reading takes, ms. */
const MOST_WAIT_MS = 1_000;

async function* follow(asked: Asked, from: string | null, signal: AbortSignal): AsyncGenerator<SourceItem, void, void> {
  const { kafka, topic, groupPrefix = 'jobwarden-cache-guard' } = asked;
  const admin = kafka.admin();
  const consumer = kafka.consumer({ groupId: `${groupPrefix}-${randomUUID()}`, maxWaitTimeInMs: MOST_WAIT_MS });
  const inbox = new Inbox<SourceItem>();
  const places = new KafkaPlaces(admin, topic);
  const reader = new Reader({ asked, consumer, inbox, places });
  const close = () => inbox.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    await admin.connect();
    // From here on nothing can be missed, also before the first record comes.
    reader.begin(await places.begin(from));
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({ autoCommit: false, eachBatch: (payload) => reader.take(payload) });
    if (!signal.aborted) yield* inbox;
  } finally {
    signal.removeEventListener('abort', close);
    inbox.close();
    reader.end();
    await Promise.allSettled([consumer.disconnect(), admin.disconnect()]);
  }
}

interface Parts {
  readonly asked: Asked;
  readonly consumer: KafkaConsumer;
  readonly inbox: Inbox<SourceItem>;
  readonly places: KafkaPlaces;
}

class Reader {
  private timer: NodeJS.Timeout | undefined;
  private lost = false;

  constructor(private readonly parts: Parts) {
    const { consumer, inbox, places } = parts;
    consumer.on(consumer.events.GROUP_JOIN, () => this.joined());
    // Also of batches that hold nothing but the marks of transactions, which nobody is handed.
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) => places.read(payload.partition, payload.lastOffset));
    consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
      if (!restart) inbox.fail(error);
    });
  }

  begin(lost: boolean): void {
    this.lost = lost;
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  async take(payload: KafkaBatchPayload): Promise<void> {
    const { places, inbox, asked } = this.parts;
    const { batch } = payload;
    const first = batch.firstOffset();
    if (first !== null && (await places.reach(batch.partition, first))) this.say(true);
    for (const { offset, value } of batch.messages) {
      places.read(batch.partition, offset);
      const event = parsed(value);
      if ((fieldOf(event, 'namespace') ?? 'default') === asked.namespace) inbox.push(itemOf(places.id, event));
    }
    await inbox.room(1_000);
    await payload.heartbeat();
  }

  /** Before anything is fetched: kafkajs would begin with the oldest record. */
  private joined(): void {
    this.seek();
    if (this.timer !== undefined) return;
    this.say(this.lost);
    this.lookLater();
  }

  private seek(): void {
    const { consumer, places, asked } = this.parts;
    for (const place of places.all()) consumer.seek({ topic: asked.topic, ...place });
  }

  private say(lost: boolean): void {
    const { inbox, places } = this.parts;
    inbox.push(lost ? { kind: 'reset', id: places.id } : { kind: 'position', id: places.id, behind: places.behind });
  }

  private lookLater(): void {
    this.timer = setTimeout(() => {
      this.look().catch((error: unknown) => this.parts.inbox.fail(error));
    }, this.parts.asked.lookEveryMs ?? 5_000).unref();
  }

  private async look(): Promise<void> {
    const lost = await this.parts.places.look();
    if (this.timer === undefined) return;
    if (lost) this.seek();
    this.say(lost);
    this.lookLater();
  }
}

function parsed(value: Buffer | null): unknown {
  try {
    return JSON.parse(String(value)) as unknown;
  } catch {
    return null;
  }
}
