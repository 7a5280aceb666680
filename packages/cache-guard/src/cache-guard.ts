import { TieredCache, type CacheOptions, type GetOptions } from './cache.js';
import { follow } from './follow.js';
import { Guard } from './guard.js';
import type { InvalidationSource, SourceItem } from './invalidation.js';
import { memoryStore } from './shared/memory-store.js';
import type { SharedStore } from './shared/shared-store.js';

export interface CacheGuardOptions extends CacheOptions {
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
}

export interface CacheGuardStats {
  readonly hits: { readonly l1: number; readonly l2: number; readonly shared: number };
  readonly misses: number;
  readonly stored: number;
  readonly overtaken: number;
  readonly bypassed: number;
  /** How often everything stored before was declared stale, since something may have been missed. */
  readonly resets: number;
  /** Since it was last known that everything was read, or something was, ms; such a sign of life comes every 15 s over server-sent events, every 5 s off Kafka. */
  readonly silentMs: number;
  /** Records that the source has and that were not read yet; null where it does not say (server-sent events). */
  readonly behind: number | null;
  /** Invalidations that were read, and that Redis has not taken yet. */
  readonly owed: number;
  /** Current entries of the first level. */
  readonly size: number;
}

export interface CacheGuard {
  /**
   * The value, from the nearest level where it is current, else from `load`, which is stored unless it was overtaken. Values
   * are JSON in the second level; those of the first are shared by all callers, so do not change them. `undefined` is not
   * stored. @throws what `load` throws, and nothing of Redis or the source.
   */
  get<T>(key: string, load: () => Promise<T> | T, options?: GetOptions<T>): Promise<T>;
  /** Empties the first level of this process. */
  clear(): void;
  stats(): CacheGuardStats;
  /** For adapters. */
  readonly guard: Guard;
  /** Resolves when the source is heard for the first time. What is stored before is kept only if nothing was missed. */
  readonly ready: Promise<void>;
  /** Ends the reading. Idempotent. Redis and the client are the caller's to close. */
  close(): Promise<void>;
}

/** Starts to follow the source at once, in the background; it does not keep the process alive. */
export function createCacheGuard(options: CacheGuardOptions): CacheGuard {
  const { source, shared = memoryStore(), maxSilenceMs = Infinity, retryMs = 200, now = () => performance.now() } = options;
  const onError = options.onError ?? (() => undefined);
  const guard = new Guard({ ...options, shared, source });
  const stop = new AbortController();
  let heardAt = now();
  let behind: number | null = null;
  let tellReady: () => void;
  const ready = new Promise<void>((resolve) => (tellReady = resolve));
  const heard = (item: SourceItem) => {
    if (item.kind === 'position') behind = item.behind ?? null;
    // Who is behind may be so by any time.
    if (item.kind === 'position' && (behind ?? 0) > 0) return;
    if (now() - heardAt > maxSilenceMs) cache.clear();
    heardAt = now();
    tellReady();
  };
  const cache = new TieredCache(guard, shared, { ...options, isSilent: () => now() - heardAt > maxSilenceMs });
  const following = follow({ source, guard, shared, signal: stop.signal, retryMs, heard, onError });
  return {
    get: (key, load, of) => cache.get(key, load, of),
    clear: () => cache.clear(),
    guard,
    ready,
    stats: () => ({ ...cache.tally.figures(), resets: guard.resetCount, silentMs: now() - heardAt, behind, owed: guard.owed, size: cache.size() }),
    async close() {
      stop.abort();
      guard.close();
      await following;
    },
  };
}
