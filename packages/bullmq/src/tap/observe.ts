import type { Client, Emitter } from '@jobwarden/client';
import type { RedisOptions } from 'ioredis';
import { DEFAULT_PREFIX } from '../keys.js';
import { asObserveError, connect, ObserveError } from './connection.js';
import { QueueTap } from './queue-tap.js';
import { Reader } from './reader.js';
import { pause, room, unfinishedRuns } from '@jobwarden/client/tapping';

export interface ObserveBullmqOptions {
  /** Address of Redis: `redis://user:password@host:port/db`, or `rediss://` for TLS. */
  readonly redis: string;
  /** What else ioredis needs, such as `tls` or `sentinels`. Options that would write (a connection's name) have no effect. */
  readonly redisOptions?: RedisOptions;
  /** Only these. Default: all of the prefix, also those that come later (looked for every five minutes). */
  readonly queues?: readonly string[];
  /** BullMQ's prefix. Default `bull`. */
  readonly prefix?: string;
  /** Send the jobs' payloads, and progress that is no number. Default false: they stay where they are. */
  readonly payload?: boolean;
  /** Completed and failed jobs of each queue that are taken in at the start, the newest first. Default 1,000 of each. */
  readonly history?: number;
  /** Only take in what is there. Default false: until `signal`. */
  readonly once?: boolean;
  /** Where the facts go. Its source must be the same for every tap of a Redis, or two taps tell everything twice. */
  readonly emitter: Pick<Emitter, 'tell' | 'stats'>;
  /** Asked which runs are unfinished: those that ended while no tap was there are then told too. */
  readonly client?: Pick<Client, 'jobs'>;
  /** Called for each queue before it is read first; what it waits for, the queue waits for. */
  readonly before?: (queue: string, signal: AbortSignal) => Promise<void>;
  readonly onStatus?: (status: BullmqTapStatus) => void;
  readonly signal: AbortSignal;
}

export interface BullmqTapStatus {
  readonly queues: readonly string[];
  /** Entries of the streams that were read. */
  readonly entries: number;
  /** Commands that Redis was sent. */
  readonly commands: number;
  /** Runs that have not ended, as far as the tap knows. */
  readonly unfinished: number;
  /** A queue whose stream was trimmed before it was read, or began anew: it was then taken in again as it stands. */
  readonly gaps: number;
  /** Why Redis is not read at the moment; null: it is. */
  readonly trouble: string | null;
}

/** Entries of one stream in one read. */
const BATCH = 500;
const DEPTH_EVERY_MS = 5_000;
const FIND_EVERY_MS = 300_000;
const QUIET_CHECK_MS = 10_000;
/** A queue whose stream is kept too short would else be taken in anew without end. */
const AGAIN_PAUSE_MS = 5_000;
const TROUBLE_PAUSE_MS = 500;

/**
 * Watches queues of BullMQ, 4 to 6, and changes nothing: every command only reads. Ends when `signal` is aborted, or
 * with `once` when what is there was taken in.
 * @throws ObserveError when Redis cannot be reached at first, refuses, or has no such queue
 */
export async function observeBullmq(options: ObserveBullmqOptions): Promise<BullmqTapStatus> {
  const redis = await connect(options.redis, options.redisOptions);
  const end = (): void => redis.disconnect();
  options.signal.addEventListener('abort', end, { once: true });
  const observation = new Observation(options, new Reader(redis, options.payload ?? false));
  try {
    await observation.find();
    if (options.once !== true) await observation.follow();
    return observation.status();
  } catch (error) {
    if (options.signal.aborted) return observation.status();
    throw observation.refusal === null ? asObserveError(error, options.redis) : observation.refusal.reason;
  } finally {
    options.signal.removeEventListener('abort', end);
    end();
  }
}

class Observation {
  /** What `before` has thrown: the caller's own affair, and none of Redis'. */
  refusal: { readonly reason: unknown } | null = null;
  private readonly taps = new Map<string, QueueTap>();
  private entries = 0;
  private gaps = 0;
  private trouble: string | null = null;
  private foundMs = 0;
  private depthMs = 0;
  private checkedMs = Date.now();
  /** Whose stream has gone on without us: not read until they have been taken in anew. */
  private readonly torn = new Set<QueueTap>();

  constructor(
    private readonly options: ObserveBullmqOptions,
    private readonly reader: Reader,
  ) {}

  status(): BullmqTapStatus {
    const taps = [...this.taps.values()];
    return {
      queues: [...this.taps.keys()],
      entries: this.entries,
      commands: this.reader.commands,
      unfinished: taps.reduce((sum, tap) => sum + tap.unfinished, 0),
      gaps: this.gaps,
      trouble: this.trouble,
    };
  }

  /** The queues, and what is in those that are new. */
  async find(): Promise<void> {
    const { queues, prefix = DEFAULT_PREFIX, signal } = this.options;
    const hasEnded = (): boolean => signal.aborted;
    this.foundMs = Date.now();
    if (queues !== undefined && this.taps.size > 0) return;
    for (const queue of queues ?? (await this.reader.queues(prefix))) {
      if (this.taps.has(queue) || hasEnded()) continue;
      if (queues !== undefined) await this.mustExist(queue, prefix);
      await this.ask(queue);
      if (hasEnded()) return;
      const { payload = false, history = 1_000, emitter, client } = this.options;
      const known = client === undefined ? null : (stop: AbortSignal) => unfinishedRuns(client, queue, { signal: stop, away: (why) => this.sayTrouble(why) });
      const tap = new QueueTap({ queue, prefix, payload, history, emitter, known, reader: this.reader, nowMs: Date.now });
      await tap.snapshot(signal);
      this.taps.set(queue, tap);
      await tap.depth();
      this.say();
    }
    if (this.taps.size === 0 && !hasEnded()) {
      throw new ObserveError('no_such_queue', `Redis has no queue of BullMQ under the prefix ${prefix}.`);
    }
  }

  private async ask(queue: string): Promise<void> {
    const { before, signal } = this.options;
    try {
      await before?.(queue, signal);
    } catch (reason) {
      this.refusal = { reason };
      throw reason;
    }
  }

  private async mustExist(queue: string, prefix: string): Promise<void> {
    if (await this.reader.exists(queue, prefix)) return;
    const there = await this.reader.queues(prefix);
    throw new ObserveError('no_such_queue', `Redis has no queue ${queue} under the prefix ${prefix}.`, { there });
  }

  async follow(): Promise<void> {
    const { signal, emitter, redis } = this.options;
    const hasEnded = (): boolean => signal.aborted;
    while (!hasEnded()) {
      try {
        await this.turn();
        this.trouble = null;
      } catch (error) {
        if (hasEnded() || this.refusal !== null) throw error;
        const seen = asObserveError(error, redis);
        if (seen.code !== 'unreachable') throw seen;
        this.trouble = seen.message;
        await pause(TROUBLE_PAUSE_MS, signal);
      }
      this.say();
      await room(emitter, signal);
    }
  }

  private async turn(): Promise<void> {
    const nowMs = Date.now();
    if (nowMs - this.checkedMs > QUIET_CHECK_MS) {
      this.checkedMs = nowMs;
      for (const tap of this.taps.values()) if (await tap.hasGap()) this.torn.add(tap);
    }
    for (const tap of this.torn) if (nowMs - tap.snapshotMs > AGAIN_PAUSE_MS) await this.again(tap);
    for (const tap of this.taps.values()) tap.mature();
    await this.read();
    for (const tap of this.taps.values()) {
      await tap.look();
      await tap.check();
    }
    if (nowMs - this.depthMs > DEPTH_EVERY_MS) {
      this.depthMs = nowMs;
      for (const tap of this.taps.values()) await tap.depth();
    }
    if (nowMs - this.foundMs > FIND_EVERY_MS) await this.find();
  }

  private async read(): Promise<void> {
    const taps = new Map([...this.taps.values()].filter((tap) => !this.torn.has(tap)).map((tap) => [tap.keys.events, tap]));
    const patienceMs = Math.min(...[...taps.values()].map((tap) => tap.patienceMs), 1_000);
    if (taps.size === 0) {
      await pause(patienceMs, this.options.signal);
      return;
    }
    const positions = [...taps].map(([key, tap]) => [key, tap.position] as const);
    // To wait for 0 ms means without end.
    const read = await this.reader.follow(positions, BATCH, Math.max(1, Math.ceil(patienceMs)));
    for (const [key, entries] of read) {
      const tap = taps.get(key);
      if (tap === undefined) continue;
      this.entries += entries.length;
      // The stream holds some 10,000 entries. Whoever is further behind has lost the count of each job's starts.
      if (await tap.isTrimmed()) this.torn.add(tap);
      else await tap.take(entries, entries.length >= BATCH);
    }
  }

  private sayTrouble(why: string): void {
    this.trouble = why;
    this.say();
  }

  private async again(tap: QueueTap): Promise<void> {
    this.gaps += 1;
    await tap.snapshot(this.options.signal);
    this.torn.delete(tap);
  }

  private say(): void {
    this.options.onStatus?.(this.status());
  }
}
