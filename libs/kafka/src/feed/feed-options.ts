import type { Failpoint, FeedReceiver, LaneEnd } from '#libs/application';
import type { ClientLog } from '../client/client.js';
import type { KafkaSettings } from '../client/settings.js';

/** What the reader tells whoever watches it. None of it asks for an answer, and none may throw. */
export interface FeedObserver {
  /** This reader has these partitions now, by the names of their lanes. */
  assigned(names: readonly string[]): void;
  /** It has them no longer. */
  revoked(names: readonly string[]): void;
  /** Nothing of it is read for now: the database is away, or slow, or the lane was stopped. */
  paused(name: string, why: string): void;
  /** It is read again. */
  resumed(name: string): void;
  /** There are records, and none of them came: the consumer is made anew. */
  stalled(name: string, forMs: number): void;
  /** The consumer has ended by itself, or was given up, and is made anew. */
  restarted(why: string): void;
  /** Something did not work and will be repeated. `what`: `check`, `connect`, `consumer`, `position`, `batch`, `commit`, `tick`, `watch`, `leave`. */
  failed(what: string, error: unknown): void;
  /** Where the topic's partitions end, all of them, also those that others read. */
  ends(ends: readonly LaneEnd[]): void;
}

export interface KafkaFeedOptions {
  readonly settings: KafkaSettings;
  readonly receiver: FeedReceiver;
  readonly clientId: string;
  readonly observer: FeedObserver;
  readonly log: ClientLog;
  /** Default: none. */
  readonly failpoint?: Failpoint;
  /** Batches of different partitions under way at once. Default 2. */
  readonly partitionsAtOnce?: number;
  /** After as long without a sign of us somebody else gets our partitions. Default 30,000. */
  readonly sessionTimeoutMs?: number;
  /** As long the broker waits for members to come together. Default 60,000. */
  readonly rebalanceTimeoutMs?: number;
  /** A partition that brought nothing for as long gets a tick. Default 250. */
  readonly tickEveryMs?: number;
  /** How often partitions, their ends and stalls are looked at. Default 2,000. */
  readonly watchEveryMs?: number;
  /** Records are there, nothing holds them up, and none came for as long: a stall. Default 30,000. */
  readonly stalledAfterMs?: number;
  /** How often it is asked again whether a stopped lane may be read. Default 3,000. */
  readonly askEveryMs?: number;
  /** A batch that takes longer goes on while the others of the reader are read. Default 2,000. */
  readonly patienceMs?: number;
  /** Bytes of one partition in one batch, at least the topic's `max.message.bytes`. Default 1 MiB. */
  readonly maxBatchBytes?: number;
}

export type FeedTimes = Required<
  Pick<
    KafkaFeedOptions,
    | 'sessionTimeoutMs'
    | 'rebalanceTimeoutMs'
    | 'tickEveryMs'
    | 'watchEveryMs'
    | 'stalledAfterMs'
    | 'askEveryMs'
    | 'patienceMs'
  >
> & { readonly heartbeatEveryMs: number };

export function timesOf(options: KafkaFeedOptions): FeedTimes {
  const sessionTimeoutMs = options.sessionTimeoutMs ?? 30_000;
  return {
    sessionTimeoutMs,
    heartbeatEveryMs: Math.min(3_000, Math.floor(sessionTimeoutMs / 5)),
    rebalanceTimeoutMs: options.rebalanceTimeoutMs ?? 60_000,
    tickEveryMs: options.tickEveryMs ?? 250,
    watchEveryMs: options.watchEveryMs ?? 2_000,
    stalledAfterMs: options.stalledAfterMs ?? 30_000,
    askEveryMs: options.askEveryMs ?? 3_000,
    patienceMs: options.patienceMs ?? 2_000,
  };
}
