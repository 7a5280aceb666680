import { RetryableError, type ShardLease } from '#libs/application';
import { Partitioners, type Kafka, type Producer, type ProducerBatch, type Transaction } from 'kafkajs';
import { batches, type KafkaRecord } from './record-size.js';

/** Short waits: a second transaction right behind the first meets the first one's end, which takes a few milliseconds. */
const RETRY = { initialRetryTime: 10, maxRetryTime: 500, retries: 10 };
/** A dead publisher's open transaction holds up every reader of its partitions until somebody takes the shard, or this long. */
const TRANSACTION_MS = 15_000;

/** Every publisher of a shard uses the same one, which is what shuts the former one out. */
export function transactionalId(prefix: string, shard: number): string {
  return `${prefix}publisher-${String(shard)}`;
}

export interface WriteOptions {
  readonly limitOf: (topic: string) => number;
  /** Each record in a request of its own, so that a refusal names one. */
  readonly singly: boolean;
}

/** A topic's limit is lower than it was said to be. `bytes`: of the record by itself, null where it is one of several. */
export class Refused extends Error {
  constructor(
    readonly records: readonly KafkaRecord[],
    cause: unknown,
  ) {
    super('the broker refuses a batch as too large', { cause });
  }
}

/**
 * Writes for one lease of a shard.
 *
 *   open ── write: begin, send, commit ──► open …        any failure ──► broken: closed, and a new one made later
 *
 * A transaction per write: the broker lets no producer of an older epoch write any more once a newer one has begun, so
 * a publisher that was paused cannot write behind its successor's back. All is acknowledged by the in-sync replicas.
 * After a failure nothing of this producer is used again: the library's sequence numbers would be wrong.
 */
export class ShardWriter {
  private constructor(
    readonly fence: number,
    private readonly producer: Producer,
    private readonly placed: Set<string>,
  ) {}

  /** From here on no older writer of this shard writes. */
  static async open(kafka: Kafka, prefix: string, lease: ShardLease): Promise<ShardWriter> {
    const placed = new Set<string>();
    const producer = kafka.producer({
      transactionalId: transactionalId(prefix, lease.shard),
      transactionTimeout: TRANSACTION_MS,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      retry: RETRY,
      createPartitioner: noting(placed),
    });
    const writer = new ShardWriter(lease.fence, producer, placed);
    try {
      await producer.connect();
      // Begun for its first step, which takes the epoch; with nothing in it, giving it up asks the broker nothing.
      await (await producer.transaction()).abort();
      return writer;
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  /** All or, for a reader of what is committed, nothing. Throws {@link Refused}, or what the library throws. */
  async write(records: readonly KafkaRecord[], { limitOf, singly }: WriteOptions): Promise<void> {
    const transaction = await this.producer.transaction();
    try {
      for (const [topic, ofTopic] of Map.groupBy(records, (r) => r.topic)) {
        const parts = batches(ofTopic, singly ? 0 : limitOf(topic));
        for (const part of parts) await this.send(transaction, topic, part);
      }
    } catch (error) {
      // Readers need not wait for the transaction's time-out.
      await transaction.abort().catch(() => undefined);
      throw error;
    }
    await transaction.commit();
  }

  /** Not waited for: it ends with the last answer of a broker that may be away. */
  close(): void {
    this.producer.disconnect().catch(() => undefined);
  }

  private async send(transaction: Transaction, topic: string, records: readonly KafkaRecord[]): Promise<void> {
    const messages = records.map(({ key, value, headers }) => ({ key, value, headers: { ...headers } }));
    const batch: ProducerBatch = { acks: -1, topicMessages: [{ topic, messages }] };
    this.placed.clear();
    const answers = await transaction.sendBatch(batch).catch((error: unknown) => {
      throw isTooLarge(error) ? new Refused(records, error) : error;
    });
    // Where a partition moves to a broker that has answered already, the library takes its part for sent.
    const answered = new Set(answers.map((a) => `${a.topicName}/${String(a.partition)}`));
    const lost = [...this.placed].filter((place) => !answered.has(place));
    if (lost.length > 0) throw new RetryableError('kafka_unacknowledged', `no acknowledgement of ${lost.join(', ')}`);
  }
}

/** The default one, which other clients agree with, and a note of where records went. */
function noting(placed: Set<string>) {
  return () => {
    const inner = Partitioners.DefaultPartitioner();
    return (args: Parameters<typeof inner>[0]): number => {
      const partition = inner(args);
      placed.add(`${args.topic}/${String(partition)}`);
      return partition;
    };
  };
}

const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

function isTooLarge(error: unknown): boolean {
  const { type, cause } = error as { type?: string; cause?: { type?: string } };
  return TOO_LARGE.has(type ?? '') || TOO_LARGE.has(cause?.type ?? '');
}
