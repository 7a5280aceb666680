import type { Guard } from '../guard.js';
import { beginGuarding, type GuardingOptions, type GuardingStats } from '../guarding.js';
import type { LogPosition } from '../invalidation.js';
import type { SharedStore, Stamp } from '../shared/shared-store.js';
import type { Figures } from '../tally.js';
import { given, ManagedCache, namesOf, type LoadOptions, type ManagedOptions } from './managed-cache.js';
import type { KeyvLike } from './stores.js';

export type { KeyvLike } from './stores.js';
export type { LoadOptions } from './managed-cache.js';

/** A cache of cache-manager 7 (`createCache`), or whatever has its stores, nearest first. */
export interface CacheManagerLike {
  readonly stores: readonly KeyvLike[];
}

export interface GuardedManagerOptions extends GuardingOptions, ManagedOptions {
  /** `redisStore(redis)`: the count that all replicas share; entries stay in the stores. `memoryStore()` for a cache of one process. */
  readonly shared: SharedStore;
}

export interface GuardedManagerStats extends Figures, GuardingStats {}

/** `ttl` and `tags` as of `wrap`. */
export interface SetOptions<T> extends Pick<LoadOptions<T>, 'ttl' | 'tags'> {
  /** `await cache.begin()`, taken before the value was read where it came from. */
  readonly since: Stamp | null;
}

/** What cache-manager's own cache offers, guarded. What is put into its stores by another way is never read here. */
export interface GuardedManager {
  /**
   * The value, from the nearest store where it is current, else from `load`. Options as cache-manager takes them, in one object
   * or one after the other. Callers at once share a load, except where an invalidation has come in between. `undefined` is not
   * stored. @throws what `load` throws, and nothing of the stores or the source.
   */
  wrap<T>(key: string, load: () => Promise<T> | T, options?: LoadOptions<T> | LoadOptions<T>['ttl'], refreshThreshold?: LoadOptions<T>['refreshThreshold']): Promise<T>;
  /** undefined: there is none that is current. */
  get<T>(key: string, options?: { readonly after?: LogPosition | undefined }): Promise<T | undefined>;
  mget<T>(keys: readonly string[], options?: { readonly after?: LogPosition | undefined }): Promise<(T | undefined)[]>;
  /** For a load of your own: take it first, read, and hand it to `set`. null: Redis is away, and `set` will store nothing. */
  begin(): Promise<Stamp | null>;
  /** False, and nothing is stored: an invalidation has come since, or a store is away. @throws TypeError without `since`. */
  set<T>(key: string, value: T, options: SetOptions<T>): Promise<boolean>;
  /** Takes it out of all stores. It does not reach a load that has begun; what Jobwarden is told (`invalidates`) does. */
  del(key: string): Promise<boolean>;
  mdel(keys: readonly string[]): Promise<boolean>;
  /** Empties all stores, with the same limit. */
  clear(): Promise<boolean>;
  stats(): GuardedManagerStats;
  readonly guard: Guard;
  /** Resolves when the source is heard for the first time. */
  readonly ready: Promise<void>;
  /** Ends the reading. Idempotent. The stores, Redis and the client are the caller's to close. */
  close(): Promise<void>;
}

/**
 * A guard around a cache of cache-manager: the same stores, and nothing out of them that an invalidation has overtaken.
 * Use what it returns in place of the cache. It follows the source at once, in the background, and keeps no process alive.
 */
export function guardCacheManager(manager: CacheManagerLike, options: GuardedManagerOptions): GuardedManager {
  const { stores } = manager;
  const near = stores.slice(0, -1);
  const guarding = beginGuarding(options, () => void Promise.allSettled(near.map((store) => store.clear())));
  const cache = new ManagedCache(stores, guarding, options);
  const get = async <T>(key: string, { after }: { readonly after?: LogPosition | undefined } = {}) => (await cache.find(key, after))?.value as T | undefined;
  const del = async (key: string) => (await Promise.all(stores.map((store) => store.delete(key)))).some(Boolean);
  const set = async <T>(key: string, value: T, of?: Partial<SetOptions<T>>) => {
    if (of?.since === undefined) throw new TypeError('set needs { since: await cache.begin() }, taken before the value was read: else nobody can tell whether it is still true');
    const { since } = of;
    if (since === null || value === undefined) return false;
    return await cache.fill(key, { value, stamp: since, names: namesOf(key, of, value) }, given(of.ttl, value, options.ttlMs ?? 60_000));
  };
  return {
    wrap: (key, load, of, refreshThreshold) => cache.wrap(key, load, typeof of === 'object' ? of : { ttl: of, refreshThreshold }),
    get,
    mget: (keys, of) => Promise.all(keys.map((key) => get<never>(key, of))),
    begin: () => cache.begin(),
    set,
    del,
    mdel: async (keys) => (await Promise.all(keys.map(del))).some(Boolean),
    clear: async () => {
      await Promise.all(stores.map((store) => store.clear()));
      return true;
    },
    stats: () => ({ ...cache.tally.figures(), ...guarding.stats() }),
    guard: guarding.guard,
    ready: guarding.ready,
    close: () => guarding.close(),
  };
}
