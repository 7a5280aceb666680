import { Loop, noFailpoint, type FeedPartition } from '#libs/application';
import type { Kafka } from 'kafkajs';
import { createClient } from '../client/client.js';
import { groupName, topicName } from '../client/topics.js';
import { FeedSession } from './feed-session.js';
import { timesOf, type FeedTimes, type KafkaFeedOptions } from './feed-options.js';
import type { ReaderParts } from './partition-reader.js';
import { Positions } from './positions.js';
import { TickAnswers } from './tick-answers.js';
import { TickWriter } from './tick-writer.js';
import { TopicAdmin } from './topic-admin.js';
import { checkedTopic, explained, fetchSizes } from './topic-check.js';

/** A consumer that ends sooner than that after its start has not really begun: the next one waits longer. */
const LIVED_MS = 30_000;

/**
 * Reads the topic of events and hands on batches, for as long as the process lives.
 *
 *   check the topic ──► session: one consumer ──crash, stall──► after a pause the check again
 *   beside it, always: ticks into quiet partitions; a watch over partitions, ends and stalls
 *
 * Where to go on is the receiver's to say, whatever the group's offsets say. The broker away, the topic missing, the
 * database away: each is told to the observer and tried again, and none of it ends the process.
 */
export class KafkaFeed {
  private readonly times: FeedTimes;
  private readonly topic: string;
  private readonly kafka: Kafka;
  private readonly admin: TopicAdmin;
  private readonly positions: Positions;
  private readonly readerParts: ReaderParts;
  private readonly loops: readonly { start(): void; stop(): Promise<void> }[];
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly answers = new TickAnswers();
  private session: FeedSession | null = null;
  private step: 'check' | 'connect' = 'check';
  private knownNames = '';
  private paused = false;
  private stopping = false;

  constructor(private readonly options: KafkaFeedOptions) {
    const { settings, clientId, observer, receiver, failpoint } = options;
    this.times = timesOf(options);
    this.topic = topicName(settings.topicPrefix, 'events');
    this.kafka = createClient(settings, clientId, options.log);
    this.admin = new TopicAdmin(this.kafka, this.topic);
    const isRead = (name: string) => this.session?.reader(name) !== undefined;
    this.positions = new Positions({ receiver, observer, isRead, look: () => this.admin.look(), answers: this.admin });
    this.readerParts = {
      ...this.times,
      receiver,
      observer,
      failpoint: failpoint ?? noFailpoint,
      underWay: this.underWay,
      ask: (reader) => this.positions.want(reader),
    };
    const { tickEveryMs, watchEveryMs } = this.times;
    const failed = (what: string, error: unknown) => (this.stopping ? undefined : observer.failed(what, error));
    const loop = (step: () => Promise<boolean>, idleMs: number, what: () => string) =>
      new Loop(step, { idleMs, onError: (error) => failed(what(), error) });
    this.loops = [
      loop(() => this.live(), 250, () => this.step),
      loop(() => this.watch(), watchEveryMs, () => 'watch'),
      new TickWriter({
        kafka: this.kafka,
        topic: this.topic,
        everyMs: tickEveryMs,
        quiet: () => this.quietPartitions(),
        answers: this.answers,
        failed: (error) => failed('tick', error),
      }),
    ];
  }

  /** Connects in the background, and for ever: a broker that is away is no reason to end. */
  start(): void {
    for (const loop of this.loops) loop.start();
  }

  /** No new batches; resolves when those under way have ended. */
  async pause(): Promise<void> {
    this.paused = true;
    this.session?.quiet();
    while (this.underWay.size > 0) await Promise.all(this.underWay.values());
  }

  /** Leaves the group, and with it the partitions: at once somebody else may read them. Calls {@link pause} first. */
  async stop(): Promise<void> {
    await this.pause();
    this.stopping = true;
    this.session?.end('stopped');
    this.positions.close();
    await Promise.all([this.admin.close(), ...this.loops.map((loop) => loop.stop())]);
  }

  /** It is a member of its group. */
  get healthy(): boolean {
    return this.session?.joined ?? false;
  }

  /** Names of the lanes that this reader has now. */
  partitions(): readonly string[] {
    return this.session?.all.map(({ name }) => name) ?? [];
  }

  private async live(): Promise<boolean> {
    this.step = 'check';
    const sizes = await this.check();
    if (this.stopping) return false;
    this.step = 'connect';
    const begunAt = performance.now();
    const session = new FeedSession({
      kafka: this.kafka,
      topic: this.topic,
      groupId: groupName(this.options.settings.topicPrefix),
      times: this.times,
      partitionsAtOnce: this.options.partitionsAtOnce ?? 2,
      sizes,
      readers: this.readerParts,
      answers: this.answers,
    });
    this.session = session;
    if (this.paused) session.quiet();
    let why: string;
    try {
      why = await session.run();
    } finally {
      this.session = null;
    }
    if (this.isStopping()) return false;
    this.options.observer.restarted(why);
    if (performance.now() - begunAt < LIVED_MS) throw new Error(why);
    return false;
  }

  private async check(): Promise<ReturnType<typeof fetchSizes>> {
    try {
      const limits = checkedTopic(this.topic, await this.admin.settings());
      const partitions = await this.admin.look();
      await this.tellKnown(partitions);
      return fetchSizes(limits, partitions.length, this.options.maxBatchBytes ?? 1_048_576);
    } catch (error) {
      throw explained(this.topic, error);
    }
  }

  private async watch(): Promise<boolean> {
    const session = this.session;
    if (session === null) return false;
    session.watchJoin();
    const positions = new Map(session.all.map((reader) => [reader, reader.position]));
    const partitions = await this.admin.look();
    this.options.observer.ends(partitions.map(({ name, high }) => ({ name, end: high })));
    if (!this.paused) session.watch(partitions, positions);
    await this.tellKnown(partitions);
    return false;
  }

  private async tellKnown(partitions: readonly FeedPartition[]): Promise<void> {
    const names = partitions.map(({ name }) => name).join(' ');
    if (names === this.knownNames) return;
    await this.options.receiver.known?.(partitions);
    this.knownNames = names;
  }

  private isStopping(): boolean {
    return this.stopping;
  }

  private quietPartitions(): readonly number[] {
    return this.session?.quietPartitions(performance.now() - this.times.tickEveryMs) ?? [];
  }
}
