// One load of a cache-manager that is overtaken, step by step, with its real stores in memory.
import { memoryStore } from '@jobwarden/cache-guard';
import { guardCacheManager, type GuardedManager } from '@jobwarden/cache-guard/cache-manager';
import { cacheMetrics } from '@jobwarden/cache-guard/metrics';
import { createCache } from 'cache-manager';
import { Keyv } from 'keyv';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { invalidation, mouth, settled } from './model/mouth.js';

/** A load that ends when the test says so, with the value of when it began. */
class SlowLoad {
  value = 1;
  calls = 0;
  private readonly held: (() => void)[] = [];

  readonly load = async (): Promise<number> => {
    this.calls += 1;
    const found = this.value;
    await new Promise<void>((resolve) => this.held.push(resolve));
    return found;
  };

  async goOn(): Promise<void> {
    await settled();
    for (const end of this.held.splice(0)) end();
    await settled();
  }
}

describe('a guarded cache-manager', () => {
  const shared = { far: new Keyv(), count: memoryStore() };
  let open: GuardedManager[];
  let slow: SlowLoad;

  beforeEach(() => {
    open = [];
    slow = new SlowLoad();
    shared.far = new Keyv();
    shared.count = memoryStore();
  });
  afterEach(() => Promise.all(open.map((cache) => cache.close())));

  async function replica() {
    const { source, say } = mouth();
    const near = new Keyv();
    const cache = guardCacheManager(createCache({ stores: [near, shared.far] }), { source, shared: shared.count });
    open.push(cache);
    await cache.ready;
    await settled();
    return { cache, near, say };
  }

  const raw = async (store: Keyv, key = 'a') => await store.get<{ value: number }>(key, { raw: true });

  it('loads once for callers at once, and answers from the nearest store', async () => {
    const { cache } = await replica();
    const both = [cache.wrap('a', slow.load), cache.wrap('a', slow.load)];
    await slow.goOn();
    expect(await Promise.all(both)).toEqual([1, 1]);
    expect(await cache.wrap('a', slow.load)).toBe(1);
    expect(slow.calls).toBe(1);
    expect(cache.stats()).toMatchObject({ hits: { l1: 1, shared: 1 }, misses: 1, stored: 1 });
    const other = await replica();
    expect(await other.cache.get('a')).toBe(1);
    expect(other.cache.stats().hits).toMatchObject({ l2: 1 });
  });

  it('does not let who has heard of an invalidation join a load from before it', async () => {
    const { cache, say } = await replica();
    const before = cache.wrap('a', slow.load);
    await settled();
    slow.value = 2;
    say(invalidation(1));
    await settled();
    const after = cache.wrap('a', slow.load);
    await slow.goOn();
    await slow.goOn();
    expect([await before, await after]).toEqual([1, 2]);
  });

  it('keeps nothing of a load that was overtaken, also where its replica has not heard of it', async () => {
    const [late, quick] = [await replica(), await replica()];
    const before = late.cache.wrap('a', slow.load);
    await settled();
    quick.say(invalidation(1));
    await slow.goOn();
    expect(await before).toBe(1);
    expect([await raw(late.near), await raw(shared.far)]).toEqual([undefined, undefined]);
    expect(late.cache.stats()).toMatchObject({ stored: 0, overtaken: 1 });
  });

  it('nor of a refresh in the background; a refresh that was not is kept in all stores', async () => {
    const { cache, near, say } = await replica();
    const refresh = { refreshThreshold: 120_000 };
    const first = cache.wrap('a', slow.load);
    await slow.goOn();
    await first;
    slow.value = 2;
    expect(await cache.wrap('a', slow.load, refresh)).toBe(1);
    await slow.goOn();
    expect([(await raw(near))?.value, (await raw(shared.far))?.value]).toMatchObject([{ value: 2 }, { value: 2 }]);
    expect(await cache.wrap('a', slow.load, refresh)).toBe(2);
    await settled();
    slow.value = 3;
    say(invalidation(1));
    await slow.goOn();
    expect(await cache.get('a')).toBeUndefined();
  });

  it('does not read what was overtaken and somebody has put into the far store all the same', async () => {
    const [one, other] = [await replica(), await replica()];
    const loading = one.cache.wrap('a', slow.load);
    await slow.goOn();
    await loading;
    const stored = (await raw(shared.far))?.value;
    one.say(invalidation(1));
    await settled();
    await shared.far.set('a', stored, 60_000);
    expect([await one.cache.get('a'), await other.cache.get('a')]).toEqual([undefined, undefined]);
    await shared.far.set('a', 'past the guard', 60_000);
    expect(await one.cache.get('a')).toBeUndefined();
  });

  it('lets no near store outlive the far one', async () => {
    const [one, other] = [await replica(), await replica()];
    const loading = one.cache.wrap('a', slow.load, 30_000);
    await slow.goOn();
    await loading;
    await other.cache.get('a');
    const far = (await raw(shared.far))?.expires ?? 0;
    expect((await raw(one.near))?.expires).toBeLessThanOrEqual(far);
    expect((await raw(other.near))?.expires).toBeLessThanOrEqual(far);
  });

  it('is a miss for whoever names the invalidation, before anybody has heard of it', async () => {
    const { cache } = await replica();
    const loading = cache.wrap('a', slow.load);
    await slow.goOn();
    await loading;
    expect(await cache.get('a', { after: { shard: 0, number: 1 } })).toBeUndefined();
    expect(await cache.get('a')).toBe(1);
  });

  it('stores a load of one’s own unless it was overtaken, and none without its begin', async () => {
    const { cache, say } = await replica();
    const since = await cache.begin();
    expect(await cache.set('a', 1, { since })).toBe(true);
    say(invalidation(1));
    await settled();
    expect(await cache.set('a', 1, { since })).toBe(false);
    await expect(cache.set('a', 1, {} as never)).rejects.toThrow(/since/u);
    expect(await cache.set('a', 2, { since: await cache.begin() })).toBe(true);
    expect(await cache.mget(['a', 'b'])).toEqual([2, undefined]);
    await cache.del('a');
    expect(await cache.get('a')).toBeUndefined();
  });

  it('shows its figures to prom-client', async () => {
    const register = new Registry();
    const { cache, say } = await replica();
    cacheMetrics(cache, { register, name: 'invoices' });
    const loading = cache.wrap('a', slow.load);
    await slow.goOn();
    await loading;
    await cache.get('a');
    const overtaken = cache.wrap('b', slow.load, { tags: ['a'] });
    await settled();
    say({ kind: 'reset', id: '9' });
    await slow.goOn();
    await overtaken;
    const text = await register.metrics();
    expect(text).toContain('jobwarden_cache_hits_total{cache="invoices",level="l1"} 1');
    expect(text).toContain('jobwarden_cache_misses_total{cache="invoices"} 2');
    expect(text).toContain('jobwarden_cache_fills_total{cache="invoices",outcome="refused"} 1');
    expect(text).toContain('jobwarden_cache_flushes_total{cache="invoices"} 2');
    expect(text).toMatch(/jobwarden_cache_lag_seconds\{cache="invoices"\} [0-9.e-]+/u);
    expect(await register.metrics()).toContain('level="l1"} 1');
  });
});
