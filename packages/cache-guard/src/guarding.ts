import { follow } from './follow.js';
import { Guard } from './guard.js';
import type { InvalidationSource, SourceItem } from './invalidation.js';
import { memoryStore } from './shared/memory-store.js';
import type { SharedStore } from './shared/shared-store.js';

/** What is followed, and how, whatever cache is behind the guard. */
export interface GuardingOptions {
  /** `sseInvalidations({ client })`, `kafkaInvalidations({ kafka })`, or one of your own. */
  readonly source: InvalidationSource;
  /** The second level, `redisStore(redis)`. Default: none, a cache of this process alone. */
  readonly shared?: SharedStore;
  /** Keys and tags that this process remembers. What it forgets counts as invalidated. Default 100,000, about 10 MB. */
  readonly maxMarks?: number;
  /** Invalidations that may wait for Redis; beyond, the whole second level is declared stale instead. Default 10,000. */
  readonly maxOwed?: number;
  /**
   * When nothing was heard of the source for so long, the first level is emptied and passed by until something is, ms.
   * Default: never. While Jobwarden is away there are no invalidations either, and a database may not stand without a cache.
   */
  readonly maxSilenceMs?: number;
  /** Between two tries at Redis or the source, ms. Default 200. */
  readonly retryMs?: number;
  /** Told of failures of Redis and of the source; all are tried again. Default: nobody. Must not throw. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds, monotonic. For tests. */
  readonly now?: () => number;
}

export interface GuardingStats {
  /** How often everything stored before was declared stale, since something may have been missed. */
  readonly resets: number;
  /** Since it was last known that everything was read, or something was, ms; such a sign of life comes every 15 s over server-sent events, every 5 s off Kafka. */
  readonly silentMs: number;
  /** Records that the source has and that were not read yet; null where it does not say (server-sent events). */
  readonly behind: number | null;
  /** Invalidations that were read, and that Redis has not taken yet. */
  readonly owed: number;
}

/** A guard that follows its source. */
export interface Guarding {
  readonly guard: Guard;
  readonly shared: SharedStore;
  readonly ready: Promise<void>;
  /** Nothing was heard for `maxSilenceMs`. */
  readonly isSilent: () => boolean;
  stats(): GuardingStats;
  close(): Promise<void>;
}

/** Begins at once, in the background. @param heardAgain Called when something is heard after a silence that was too long. */
export function beginGuarding(options: GuardingOptions, heardAgain: () => void): Guarding {
  const { source, shared = memoryStore(), maxSilenceMs = Infinity, retryMs = 200, now = () => performance.now() } = options;
  const onError = options.onError ?? (() => undefined);
  const guard = new Guard({ ...options, shared, source });
  const stop = new AbortController();
  let heardAt = now();
  let behind: number | null = null;
  let tellReady: () => void;
  const ready = new Promise<void>((resolve) => (tellReady = resolve));
  const isSilent = () => now() - heardAt > maxSilenceMs;
  const heard = (item: SourceItem) => {
    if (item.kind === 'position') behind = item.behind ?? null;
    // Who is behind may be so by any time.
    if (item.kind === 'position' && (behind ?? 0) > 0) return;
    if (isSilent()) heardAgain();
    heardAt = now();
    tellReady();
  };
  const following = follow({ source, guard, shared, signal: stop.signal, retryMs, heard, onError });
  return {
    guard,
    shared,
    ready,
    isSilent,
    stats: () => ({ resets: guard.resetCount, silentMs: now() - heardAt, behind, owed: guard.owed }),
    async close() {
      stop.abort();
      guard.close();
      await following;
    },
  };
}
