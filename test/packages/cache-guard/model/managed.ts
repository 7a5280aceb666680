import type { InvalidationSource, SharedStore } from '@jobwarden/cache-guard';
import { guardCacheManager } from '@jobwarden/cache-guard/cache-manager';
import { createCache } from 'cache-manager';
import { Keyv } from 'keyv';
import type { Replica } from './replica.js';
import type { Schedule } from './schedule.js';

const TTL_MS = 60_000;

/** A store for Keyv each step of which comes at some point, and so does its answer. */
function slowMap(map: Map<string, unknown>, schedule: Schedule): object {
  const step = async <T>(call: () => T): Promise<T> => {
    await schedule.later();
    const answer = call();
    await schedule.later();
    return answer;
  };
  return {
    opts: {},
    get: (key: string) => step(() => map.get(key)),
    set: (key: string, value: unknown) => step(() => map.set(key, value).has(key)),
    delete: (key: string) => step(() => map.delete(key)),
    clear: () => step(() => map.clear()),
    on: () => undefined,
  };
}

/** Two stores: one of this replica, and one that all have. */
export class ManagedReplicas {
  private readonly far = new Map<string, unknown>();

  constructor(
    private readonly schedule: Schedule,
    private readonly draw: () => number,
  ) {}

  guarded(shared: SharedStore, source: InvalidationSource): Replica {
    const cache = guardCacheManager(this.cache(), { shared, source, retryMs: 1, ttlMs: TTL_MS });
    return {
      // Every other hit is refreshed behind its reader's back.
      get: (key, load, after) => cache.wrap(key, load, { tags: ['all'], after, refreshThreshold: this.draw() % 2 === 0 ? 0 : 2 * TTL_MS }),
      close: () => cache.close(),
    };
  }

  /** As its documentation has it, and an invalidation deletes. */
  alone(source: InvalidationSource): Replica {
    const cache = this.cache();
    const stop = new AbortController();
    const following = (async () => {
      for await (const item of source.follow(null, stop.signal)) {
        if (item.kind !== 'invalidation') continue;
        if (item.invalidation.tags.length > 0) await cache.clear();
        else await cache.mdel([...item.invalidation.keys]);
      }
    })();
    return {
      get: (key, load) => cache.wrap(key, load, TTL_MS, this.draw() % 2 === 0 ? 0 : 2 * TTL_MS),
      close: async () => {
        stop.abort();
        await following;
      },
    };
  }

  private cache(): ReturnType<typeof createCache> {
    const stores = [new Map<string, unknown>(), this.far].map((map) => new Keyv({ store: slowMap(map, this.schedule) }));
    return createCache({ stores });
  }
}
