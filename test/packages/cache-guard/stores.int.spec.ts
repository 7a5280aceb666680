// What every store must do: the one in memory and the one in Redis.
import { memoryStore, redisStore, type SharedStore } from '@jobwarden/cache-guard';
import { createClient } from '@keyv/redis';
import { Redis as Ioredis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisLeftOut, startRedis, type Redis } from '#libs/testing';

const invalidation = (number: number, ...names: string[]) => ({ id: `p:1:${number}`, names, ordered: { shard: 1, number } });

function keepsWhatIsCurrent(make: (maxMarks: number) => SharedStore): void {
  it('gives back what was stored, with what is left of its time', async () => {
    const store = make(1_000);
    const { entry, stamp } = await store.read('a');
    expect(entry).toBeNull();
    expect(await store.store('a', { stamp, names: ['k:a', 't:x'], text: '{"n":1}' }, 60_000)).toBe(true);
    const found = (await store.read('a')).entry;
    expect(found).toMatchObject({ names: ['k:a', 't:x'], text: '{"n":1}', stamp });
    expect(found?.leftMs).toBeGreaterThan(50_000);
    expect(found?.leftMs).toBeLessThanOrEqual(60_000);
  });

  it.each([['its key', 'k:a'], ['a tag', 't:x']])('never stores what %s has overtaken', async (_what, name) => {
    const store = make(1_000);
    const { stamp } = await store.read('a');
    const entry = { stamp, names: ['k:a', 't:x'], text: '1' };
    await store.invalidate([invalidation(7, name)], null);
    expect(await store.store('a', entry, 60_000)).toBe(false);
    expect(await store.isCurrent(entry.names, stamp)).toBe(false);
    const later = (await store.read('a')).stamp;
    expect(await store.store('a', { ...entry, stamp: later }, 60_000)).toBe(true);
    expect(await store.store('a', entry, 60_000)).toBe(false);
    await store.invalidate([invalidation(8, name)], null);
    expect((await store.read('a')).entry).toBeNull();
  });

  it('applies a position once, and says at which count', async () => {
    const store = make(1_000);
    const first = await store.invalidate([invalidation(7, 'k:a'), invalidation(8, 'k:b')], { source: 's', id: 'x' });
    const { stamp } = await store.read('a');
    expect(stamp.seen).toEqual({ 1: 8 });
    const again = await store.invalidate([invalidation(7, 'k:a'), invalidation(9, 'k:c')], { source: 's', id: 'y' });
    expect(again.at).toEqual([first.at[0], stamp.at + 1]);
    expect(await store.isCurrent(['k:a', 'k:b'], stamp)).toBe(true);
    expect(await store.position('s')).toBe('y');
    expect(await store.position('another')).toBeNull();
  });

  it('takes what it has forgotten for invalidated', async () => {
    const store = make(4);
    const { stamp } = await store.read('a');
    for (let n = 1; n <= 4; n += 1) await store.invalidate([invalidation(n, `k:${n}`)], null);
    expect(await store.isCurrent(['k:never'], stamp)).toBe(false);
    expect(await store.isCurrent(['k:never'], (await store.read('a')).stamp)).toBe(true);
  });

  it('forgets all when it is renewed, and how far it had been read', async () => {
    const store = make(1_000);
    await store.invalidate([invalidation(7, 'k:a')], null);
    const { stamp } = await store.read('a');
    await store.store('a', { stamp, names: ['k:a'], text: '1' }, 60_000);
    await store.renew({ source: 's', id: 'z' });
    const after = await store.read('a');
    expect(after.entry).toBeNull();
    expect(after.stamp).toMatchObject({ epoch: stamp.epoch, at: stamp.at + 1, seen: {} });
    expect(await store.position('s')).toBe('z');
  });
}

describe('a store in memory', () => keepsWhatIsCurrent((maxMarks) => memoryStore({ maxMarks, entries: true })));

describe.skipIf(redisLeftOut())('a store in Redis', () => {
  let server: Redis;
  let redis: Ioredis;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Ioredis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  keepsWhatIsCurrent((maxMarks) => redisStore(redis, { maxMarks, prefix: randomUUID() }));

  it.each(['marks', 'state'])('begins a new epoch when its %s are gone, and takes nothing of the old one', async (part) => {
    const prefix = randomUUID();
    const store = redisStore(redis, { prefix });
    const { stamp } = await store.read('a');
    await store.store('a', { stamp, names: ['k:a'], text: '1' }, 60_000);
    await redis.del(`{${prefix}}:${part}`);
    const after = await store.read('a');
    expect(after.entry).toBeNull();
    expect(after.stamp.epoch).not.toBe(stamp.epoch);
    expect(await store.store('a', { stamp, names: ['k:a'], text: '1' }, 60_000)).toBe(false);
  });

  it('is the same over node-redis, and takes any key', async () => {
    const client = createClient({ url: server.url });
    await client.connect();
    const prefix = randomUUID();
    const [one, other] = [redisStore(client, { prefix }), redisStore(redis, { prefix })];
    for (const key of ['a:b/%2F ..', '🐘 "{x}"', 'é\n']) {
      const { stamp } = await one.read(key);
      expect(await one.store(key, { stamp, names: [`k:${key}`], text: JSON.stringify(key) }, 60_000)).toBe(true);
      expect((await other.read(key)).entry?.text).toBe(JSON.stringify(key));
    }
    client.destroy();
  });

  it('counts a call that is not answered in time as failed', async () => {
    const silent = { call: () => new Promise(() => undefined) };
    await expect(redisStore(silent, { timeoutMs: 1 }).read('a')).rejects.toThrow('not answered within 1 ms');
  });
});
