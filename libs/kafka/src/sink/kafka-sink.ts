import { RetryableError, type MessageSink, type OutboundMessage, type ShardLease } from '#libs/application';
import type { Admin, Kafka } from 'kafkajs';
import { createClient, type ClientLog } from '../client/client.js';
import { explainKafkaError } from '../client/explain.js';
import type { KafkaSettings } from '../client/settings.js';
import { topicName, type Topic } from '../client/topics.js';
import { recordOf, topicOf } from './message-record.js';
import { aloneBytes } from './record-size.js';
import { Refused, ShardWriter } from './shard-writer.js';
import { TopicLimits } from './topic-limits.js';

export interface KafkaSinkParts {
  readonly settings: KafkaSettings;
  /** Shown by the brokers, in their logs and quotas. */
  readonly clientId: string;
  /** Default: nothing is logged. */
  readonly log?: ClientLog;
  readonly observer?: KafkaSinkObserver;
}

/** Told what the sink does. Must not throw. */
export interface KafkaSinkObserver {
  /** The broker has refused a message that was believed to fit. */
  refused?(topic: string, records: number): void;
}

/** Topics that the sink writes. */
export const OUT_TOPICS = ['commands', 'invalidations', 'dead-letters', 'incidents'] as const satisfies readonly Topic[];

const LIMITS_MS = 30_000;
const STOP_MS = 5_000;
/** Besides key and value, headers and all; never less than what they take. */
const AT_MOST_BESIDES = 1_000;

/**
 * The topics as a way out.
 *
 *   closed ── open ──► a writer per shard and lease ── send ──► … any failure ──► closed: the batch opens it again
 *                                                       └── refused as too large ──► limits are asked anew, and records go
 *                                                           one by one: the one that is refused has a fault from then on
 *
 * Clocks: the process's, for how old the limits are. Guaranteed: what `send` resolves for is on all in-sync replicas, per
 * job in the order given, and no older lease of the shard writes after `open`. Not guaranteed: once each, after failures;
 * ids are the same. A reader of what is not committed sees given up tries as further repeats.
 */
export class KafkaSink implements MessageSink {
  readonly name = 'kafka';
  private readonly log: ClientLog;
  private readonly kafka: Kafka;
  private readonly limits: TopicLimits;
  private readonly writers = new Map<number, ShardWriter>();
  /** Shards whose last batch was refused. */
  private readonly singly = new Set<number>();
  private readonly sending = new Set<Promise<void>>();
  private readonly givenUp = Promise.withResolvers<never>();
  private admin: Promise<Admin> | null = null;
  private asking: Promise<void> | null = null;
  private askedAtMs = -Infinity;
  private told = '';
  private stopped = false;

  constructor(private readonly parts: KafkaSinkParts) {
    this.log = parts.log ?? (() => undefined);
    // The library repeats by itself and calls each try an error; what comes of it is said here, once.
    const quiet: ClientLog = (_level, message, fields) => {
      this.log('debug', message, fields);
    };
    this.kafka = createClient(parts.settings, parts.clientId, quiet);
    this.limits = new TopicLimits(OUT_TOPICS.map((topic) => topicName(parts.settings.topicPrefix, topic)));
    this.givenUp.promise.catch(() => undefined);
  }

  /** Connects in the background; what does not succeed is done again by the first batch. */
  start(): void {
    this.ask().catch((error: unknown) => {
      this.log('warn', explainKafkaError(error, this.parts.settings).message, {});
    });
  }

  /** Waits a moment for what is being sent; what is not acknowledged by then is sent again by whoever comes next. */
  async stop(): Promise<void> {
    this.stopped = true;
    const late = setTimeout(() => this.givenUp.reject(stoppedError()), STOP_MS);
    await Promise.allSettled(this.sending);
    clearTimeout(late);
    this.givenUp.reject(stoppedError());
    this.keep([]);
    this.closeAdmin();
  }

  async open(lease: ShardLease, why: 'batch' | 'retry' = 'batch'): Promise<void> {
    await this.explained(async () => {
      if (why === 'retry' || performance.now() - this.askedAtMs > LIMITS_MS) await this.ask();
      if (this.writers.get(lease.shard)?.fence === lease.fence) return;
      this.close(lease.shard);
      const writer = await ShardWriter.open(this.kafka, this.parts.settings.topicPrefix, lease);
      if (this.isStopped()) {
        writer.close();
        throw stoppedError();
      }
      this.writers.set(lease.shard, writer);
    });
  }

  faultOf(message: OutboundMessage): string | null {
    const { topicPrefix } = this.parts.settings;
    const topic = topicName(topicPrefix, topicOf(message.kind));
    const limit = this.limits.of(topic);
    // A UTF-16 unit is at most three bytes of UTF-8: nearly all are clearly short enough.
    if ((message.message.length + message.orderKey.length) * 3 + AT_MOST_BESIDES <= limit) return null;
    const bytes = aloneBytes(recordOf(topicPrefix, message));
    return bytes <= limit ? null : `record_too_large: ${String(bytes)} bytes, ${topic} takes ${String(limit)}`;
  }

  async send(messages: readonly OutboundMessage[], lease: ShardLease): Promise<void> {
    await this.explained(() => this.write(messages, lease));
  }

  keep(leases: readonly ShardLease[]): void {
    const fences = new Map(leases.map((l) => [l.shard, l.fence]));
    for (const [shard, { fence }] of [...this.writers]) if (fences.get(shard) !== fence) this.close(shard);
  }

  private async write(messages: readonly OutboundMessage[], { shard, fence }: ShardLease): Promise<void> {
    const writer = this.writers.get(shard);
    if (writer?.fence !== fence) throw new RetryableError('kafka_closed', `shard ${String(shard)} is not open`);
    const records = messages.map((m) => recordOf(this.parts.settings.topicPrefix, m));
    try {
      const options = { limitOf: (topic: string) => this.limits.of(topic), singly: this.singly.has(shard) };
      await writer.write(records, options);
    } catch (error) {
      this.close(shard, writer);
      if (error instanceof Refused) await this.learn(shard, error);
      throw error;
    }
    this.singly.delete(shard);
  }

  /** The batch comes again, and finds the fault that is known by then. */
  private async learn(shard: number, { records }: Refused): Promise<void> {
    const [first, ...more] = records;
    if (first === undefined) return;
    this.parts.observer?.refused?.(first.topic, records.length);
    if (more.length === 0) this.limits.refused(first);
    this.singly.add(shard);
    await this.ask({ keepLearned: true });
  }

  /** All shards that ask at once ask together, so that a broker that is away is waited for once. */
  private ask(options = { keepLearned: false }): Promise<void> {
    this.asking ??= this.askNow(options).finally(() => (this.asking = null));
    return this.asking;
  }

  private async askNow(options: { readonly keepLearned: boolean }): Promise<void> {
    try {
      this.admin ??= this.connectAdmin();
      const unknown = await this.limits.refresh(await this.admin, options);
      this.askedAtMs = performance.now();
      this.tell(unknown);
    } catch (error) {
      this.closeAdmin();
      throw error;
    }
  }

  private async connectAdmin(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }

  private closeAdmin(): void {
    this.admin?.then((admin) => admin.disconnect()).catch(() => undefined);
    this.admin = null;
  }

  /** Once for as long as it is the same. */
  private tell(unknown: ReadonlyMap<string, string>): void {
    const words = [...unknown].map(([topic, why]) => `${topic} (${why})`).join(', ');
    if (words !== '' && words !== this.told)
      this.log('warn', `Kafka does not say how large a message may be in ${words}: the default is taken`, {});
    this.told = words;
  }

  /** `only`: not its successor. */
  private close(shard: number, only?: ShardWriter): void {
    const writer = this.writers.get(shard);
    if (only !== undefined && writer !== only) return;
    this.writers.delete(shard);
    writer?.close();
  }

  private isStopped(): boolean {
    return this.stopped;
  }

  private async explained(work: () => Promise<void>): Promise<void> {
    if (this.stopped) throw stoppedError();
    const done = Promise.race([work(), this.givenUp.promise]);
    this.sending.add(done);
    try {
      await done;
    } catch (error) {
      throw explainKafkaError(error, this.parts.settings);
    } finally {
      this.sending.delete(done);
    }
  }
}

function stoppedError(): RetryableError {
  return new RetryableError('kafka_stopped', 'the process is ending: the messages are sent by whoever comes next');
}
