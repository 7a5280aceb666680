import { createCacheGuard, type InvalidationSource, type LogPosition, type SharedStore } from '@jobwarden/cache-guard';
import type { Schedule } from './schedule.js';

export interface Replica {
  get(key: string, load: () => Promise<number>, after?: LogPosition): Promise<number>;
  close(): Promise<void>;
}

/** Every step of the store comes at some point, and so does its answer. */
export function slow(store: SharedStore, schedule: Schedule, fails: () => boolean = () => false): SharedStore {
  const step = async <T>(call: () => Promise<T>): Promise<T> => {
    await schedule.later();
    if (fails()) throw new Error('away');
    const answer = await call();
    await schedule.later();
    if (fails()) throw new Error('away after it was done');
    return answer;
  };
  return {
    read: (key) => step(() => store.read(key)),
    store: (key, entry, ttlMs) => step(() => store.store(key, entry, ttlMs)),
    isCurrent: (names, stamp) => step(() => store.isCurrent(names, stamp)),
    invalidate: (batch, position) => step(() => store.invalidate(batch, position)),
    renew: (position) => step(() => store.renew(position)),
    position: (source) => step(() => store.position(source)),
  };
}

export function guarded(shared: SharedStore, source: InvalidationSource): Replica {
  const cache = createCacheGuard({ shared, source, retryMs: 1 });
  const tags = ['all'];
  return { get: (key, load, after) => cache.get(key, load, { tags, after }), close: () => cache.close() };
}

/** The twin without a guard: two levels, and an invalidation empties them. */
export function naive(l2: Map<string, number>, source: InvalidationSource, schedule: Schedule): Replica {
  const l1 = new Map<string, number>();
  const stop = new AbortController();
  const following = (async () => {
    for await (const item of source.follow(null, stop.signal)) {
      if (item.kind !== 'invalidation') continue;
      const gone = item.invalidation.tags.length > 0 ? [...l1.keys(), ...l2.keys()] : item.invalidation.keys;
      for (const key of gone) for (const level of [l1, l2]) level.delete(key);
    }
  })();
  return {
    async get(key, load) {
      const value = l1.get(key) ?? l2.get(key) ?? (await load());
      l1.set(key, value);
      await schedule.later();
      l2.set(key, value);
      return value;
    },
    async close() {
      stop.abort();
      await following;
    },
  };
}
