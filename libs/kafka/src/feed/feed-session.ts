import type { Consumer, ConsumerConfig, EachBatchPayload, Kafka } from 'kafkajs';
import type { FeedPartition } from '#libs/application';
import { within } from './deadline.js';
import type { FeedTimes } from './feed-options.js';
import { PartitionReader, type PartitionControl, type ReaderParts } from './partition-reader.js';
import { laneName, readBatch, type FetchedBatch } from './read-batch.js';
import { ShownOffsets } from './shown-offsets.js';
import type { TickAnswers } from './tick-answers.js';

const LEAVE_MS = 5_000;

export interface SessionParts {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly groupId: string;
  readonly times: FeedTimes;
  readonly partitionsAtOnce: number;
  readonly sizes: { readonly maxBytesPerPartition: number; readonly maxBytes: number };
  readonly readers: ReaderParts;
  readonly answers: TickAnswers;
}

/**
 * One consumer, from joining the group to its end.
 *
 *   joining ──► member ──rebalance──► joining …        any ──crash, stall, stop──► over
 *
 * Joined, it pauses all it has before the first fetch: nothing is read before the log has said where to go on. The
 * library goes on fetching, and giving signs of life, also while every partition is paused; it waits for all batches of
 * a fetch before the next one, which is why none of them may take long here.
 */
export class FeedSession {
  private readonly consumer: Consumer;
  private readonly offsets: ShownOffsets;
  private readers = new Map<number, PartitionReader>();
  private lastPartitions: readonly number[] = [];
  private isQuiet = false;
  private over = false;
  private joinDueAt: number;
  private tellEnd: (why: string) => void = () => undefined;
  private readonly ended = new Promise<string>((resolve) => {
    this.tellEnd = resolve;
  });
  /** It has been let into the group at least once. */
  joined = false;

  constructor(private readonly parts: SessionParts) {
    this.consumer = parts.kafka.consumer(this.config());
    this.joinDueAt = performance.now() + parts.times.rebalanceTimeoutMs + parts.times.sessionTimeoutMs;
    this.offsets = new ShownOffsets(parts.topic, (error) => parts.readers.observer.failed('commit', error));
    this.listen();
  }

  /** Resolves with the reason when it is over. @throws when it cannot begin. */
  async run(): Promise<string> {
    try {
      return await Promise.race([this.begin().then(() => this.ended), this.ended]);
    } finally {
      await this.leave();
    }
  }

  end(why: string): void {
    this.tellEnd(why);
  }

  /** No new batches. */
  quiet(): void {
    this.isQuiet = true;
    this.pause([...this.readers.keys()]);
  }

  reader(name: string): PartitionReader | undefined {
    return this.all.find((reader) => reader.name === name);
  }

  get all(): readonly PartitionReader[] {
    return [...this.readers.values()];
  }

  /**
   * Partitions that brought nothing but ticks since then, and those that are unsure until a tick is acknowledged. While the group comes together nobody has any: those that were
   * ours last get their ticks from us, or every slow rebalance would be a gap.
   */
  quietPartitions(since: number): readonly number[] {
    if (this.readers.size === 0) return this.lastPartitions;
    const now = performance.now();
    const wanted = ({ heardAt, partition }: PartitionReader) => heardAt <= since || this.parts.answers.isUnsure(partition, now);
    return this.all.filter(wanted).map(({ partition }) => partition);
  }

  /** `positions`: of the readers before it was asked how the partitions are. */
  watch(partitions: readonly FeedPartition[], positions: ReadonlyMap<PartitionReader, number>): void {
    const now = performance.now();
    const { observer } = this.parts.readers;
    for (const { name, low, high } of partitions) {
      const reader = this.reader(name);
      const position = reader && positions.get(reader);
      if (reader === undefined || position === undefined || !reader.reading) continue;
      // The consumer would begin elsewhere by itself, or wait without a word.
      if (low > reader.position || high < position) reader.ask();
      else if (high <= reader.position) reader.movedAt = now;
      else if (now - reader.movedAt > this.parts.times.stalledAfterMs) {
        observer.stalled(name, Math.round(now - reader.movedAt));
        this.end(`${name} stalled at ${reader.position} of ${high}`);
      }
    }
  }

  watchJoin(): void {
    if (performance.now() > this.joinDueAt) this.end('the group did not let us in');
  }

  private config(): ConsumerConfig {
    const { groupId, times, sizes } = this.parts;
    return {
      groupId,
      sessionTimeout: times.sessionTimeoutMs,
      rebalanceTimeout: times.rebalanceTimeoutMs,
      heartbeatInterval: times.heartbeatEveryMs,
      // Also how long a resumed partition may wait for its fetch; ticks end most waits earlier.
      maxWaitTimeInMs: Math.min(250, times.heartbeatEveryMs),
      metadataMaxAge: times.watchEveryMs,
      allowAutoTopicCreation: false,
      ...sizes,
      // Made anew by the feed, never by itself: one place decides, and what it tells is heard.
      retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5, restartOnFailure: () => Promise.resolve(false) },
    };
  }

  private listen(): void {
    const { consumer, parts } = this;
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => this.joinedWith(payload.memberAssignment[parts.topic] ?? []));
    consumer.on(consumer.events.REBALANCING, () => {
      this.joinDueAt = performance.now() + parts.times.rebalanceTimeoutMs + parts.times.sessionTimeoutMs;
      this.drop();
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => this.end(`the consumer has ended: ${payload.error.message}`));
    consumer.on(consumer.events.START_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize > 0) return;
      // null where nothing but holes was fetched; the library's types do not know.
      const first = payload.firstOffset as string | null;
      this.readers.get(payload.partition)?.skipped(first === null ? null : Number(first), Number(payload.lastOffset));
    });
  }

  private async begin(): Promise<void> {
    const { consumer, parts } = this;
    await consumer.connect();
    await consumer.subscribe({ topics: [parts.topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: parts.partitionsAtOnce,
      eachBatch: (payload) => this.eachBatch(payload),
    });
  }

  /** Called before the first fetch of the generation. */
  private joinedWith(partitions: readonly number[]): void {
    this.drop();
    this.lastPartitions = partitions;
    if (this.over) return;
    this.joined = true;
    this.joinDueAt = Infinity;
    const { topic, readers } = this.parts;
    this.pause(partitions);
    for (const partition of partitions) {
      this.readers.set(partition, new PartitionReader(laneName(topic, partition), partition, this.control(partition), readers));
    }
    readers.observer.assigned(this.all.map(({ name }) => name));
    for (const reader of this.all) reader.ask();
  }

  private async eachBatch(payload: EachBatchPayload): Promise<void> {
    const batch = payload.batch as FetchedBatch;
    const reader = this.readers.get(batch.partition);
    if (reader === undefined || this.isQuiet || !payload.isRunning() || payload.isStale()) return;
    this.offsets.commit = (offsets) => payload.commitOffsetsIfNecessary(offsets);
    await reader.take({
      from: Number(batch.fetchedOffset),
      batch: { ...readBatch(batch), unsureUpTo: this.parts.answers.unsureUpTo(batch.partition, performance.now()) },
      heartbeat: () => payload.heartbeat(),
      resolve: () => payload.resolveOffset(batch.lastOffset()),
    });
  }

  private control(partition: number): PartitionControl {
    const { topic } = this.parts;
    return {
      pause: () => this.pause([partition]),
      resumeAt: (offset) =>
        this.onConsumer((consumer) => {
          consumer.seek({ topic, partition, offset: String(offset) });
          if (!this.isQuiet) consumer.resume([{ topic, partitions: [partition] }]);
        }),
      show: (offset) => this.offsets.show(partition, offset),
    };
  }

  private pause(partitions: readonly number[]): void {
    if (partitions.length === 0) return;
    this.onConsumer((consumer) => consumer.pause([{ topic: this.parts.topic, partitions: [...partitions] }]));
  }

  /** One that has just ended refuses everything, and tells of its end a moment later. */
  private onConsumer(work: (consumer: Consumer) => void): void {
    if (this.over) return;
    try {
      work(this.consumer);
    } catch (error) {
      this.parts.readers.observer.failed('consumer', error);
    }
  }

  private drop(): void {
    const names = this.all.map(({ name }) => name);
    for (const reader of this.all) reader.revoke();
    this.readers = new Map();
    this.offsets.clear();
    if (names.length === 0) return;
    this.parts.readers.receiver.revoked(names);
    this.parts.readers.observer.revoked(names);
  }

  private async leave(): Promise<void> {
    const { observer } = this.parts.readers;
    try {
      await within(LEAVE_MS, 'the last offsets', this.offsets.settled());
    } catch (error) {
      observer.failed('commit', error);
    }
    this.over = true;
    this.drop();
    await within(LEAVE_MS, 'leaving the group', this.consumer.disconnect()).catch((error: unknown) =>
      observer.failed('leave', error),
    );
  }
}
