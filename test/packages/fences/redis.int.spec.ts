import { createRedisFence, fenceKey } from '@jobwarden/fences';
import { createClient } from '@keyv/redis';
import { Redis as Ioredis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { redisLeftOut, startRedis, type Redis } from '#libs/testing';

type Writer = (redis: Ioredis, token: number) => Promise<boolean>;

const fenced: Writer = (redis, token) => createRedisFence(redis).set('r', String(token), token);

/** The twin: looks whether somebody newer was there, and then writes. */
const looksFirst: Writer = async (redis, token) => {
  if (Number(await redis.get('r')) > token) return false;
  await redis.set('r', String(token));
  return true;
};

describe.skipIf(redisLeftOut())('a Redis sink', () => {
  let server: Redis;
  let redis: Ioredis;
  const clients: Ioredis[] = [];
  const connect = () => {
    const client = new Ioredis(server.url);
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    server = await startRedis();
    redis = connect();
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await server.stop();
  });
  beforeEach(() => redis.flushall());

  it('accepts 8, then refuses 7 (B7), and lets 8 repeat', async () => {
    const fence = createRedisFence(redis);
    expect(await fence.set('r', 'by 8', 8)).toBe(true);
    expect(await fence.set('r', 'by 7', 7)).toBe(false);
    expect(await fence.set('r', 'by 8 again', 8)).toBe(true);
    expect(await redis.get('r')).toBe('by 8 again');
  });

  /** Many writers at once, each on a connection of its own. */
  async function race(writer: Writer): Promise<readonly string[]> {
    const monitor = await connect().monitor();
    const writes: string[] = [];
    const ended = new Promise<void>((resolve) => {
      monitor.on('monitor', (_time: string, [name = '', key = '', value = '']: string[]) => {
        if (name.toLowerCase() === 'set' && key === 'r') writes.push(value);
        if (name.toLowerCase() === 'ping') resolve();
      });
    });
    const tokens = Array.from({ length: 40 }, (_, i) => ((i * 17) % 40) + 1);
    const writers = Array.from({ length: 8 }, connect);
    const written = await Promise.all(tokens.map((token, i) => writer(writers[i % 8]!, token)));
    await redis.ping();
    await ended;
    monitor.disconnect();
    expect(writes).toHaveLength(written.filter(Boolean).length);
    return writes;
  }
  const sorted = (writes: readonly string[]) => [...writes].sort((a, b) => Number(a) - Number(b));

  it('keeps the effect of the newest of many writers, and none of one that was refused', async () => {
    const writes = await race(fenced);
    expect(writes).toEqual(sorted(writes));
    expect(await redis.get('r')).toBe('40');
  });

  it('that looks first and then writes takes older ones after newer ones (twin: the same test finds it out)', async () => {
    const writes = await race(looksFirst);
    expect(writes).not.toEqual(sorted(writes));
  });

  it('compares, and sets only what is expected there', async () => {
    const fence = createRedisFence(redis);
    expect(await fence.compareAndSet('r', null, 'a', 7)).toBe('written');
    expect(await fence.compareAndSet('r', null, 'b', 7)).toBe('differs');
    expect(await fence.compareAndSet('r', 'x', 'b', 9)).toBe('differs');
    expect(await fence.compareAndSet('r', 'a', '', 8)).toBe('written');
    expect(await fence.compareAndSet('r', '', 'c', 7)).toBe('stale');
    expect(await fence.compareAndSet('r', '', 'c', 8, { ttlMs: 60_000 })).toBe('written');
    expect(await redis.get('r')).toBe('c');
    expect(await redis.pttl('r')).toBeGreaterThan(50_000);
  });

  it('runs lines of its own behind the fence, or not at all', async () => {
    const fence = createRedisFence(redis);
    const push = (token: number) => fence.run(`return redis.call('RPUSH', KEYS[1], ARGV[1]) -- grows`, { keys: ['list'], args: [`by ${token}`] }, token);
    expect([await push(8), await push(7), await push(9)]).toEqual([1, null, 2]);
    expect(await redis.lrange('list', 0, -1)).toEqual(['by 8', 'by 9']);
    expect(await fence.run(`local nothing = 1`, { keys: ['list'] }, 9)).toBeUndefined();
  });

  it('tells tokens apart up to the last number', async () => {
    const fence = createRedisFence(redis);
    const edge = Number.MAX_SAFE_INTEGER;
    expect(await fence.set('r', 'a', edge - 1)).toBe(true);
    expect(await fence.set('r', 'b', edge)).toBe(true);
    expect(await fence.set('r', 'c', edge - 1)).toBe(false);
    expect(await redis.get(fenceKey('r'))).toBe(String(edge));
    await expect(fence.set('r', 'd', edge + 1)).rejects.toThrow(RangeError);
    // Beyond it Lua would take two tokens for one, which is why they are refused before they are sent.
    expect(await redis.eval(`return tostring(tonumber('9007199254740993') == tonumber('9007199254740992'))`, 0)).toBe('true');
  });

  it('remembers the token for longer than the value', async () => {
    const fence = createRedisFence(redis, { keepMs: 1_000 });
    await fence.set('r', 'a', 8, { ttlMs: 60_000 });
    expect(await redis.pttl(fenceKey('r'))).toBeGreaterThan(50_000);
    expect(() => createRedisFence(redis, { keepMs: 0.5 })).toThrow(RangeError);
  });

  it.each(['invoice:7', '{user:1}:cart', 'a{b}c{d}', 'plain'])('keeps the token of %j on its slot of a cluster', async (key) => {
    const cluster = await startRedis({ settings: ['--cluster-enabled', 'yes'] });
    const client = new Ioredis(cluster.url);
    expect(await client.cluster('KEYSLOT', fenceKey(key))).toBe(await client.cluster('KEYSLOT', key));
    client.disconnect();
    await cluster.stop();
  });

  it('takes a client of node-redis as well', async () => {
    const client = createClient({ url: server.url });
    await client.connect();
    const fence = createRedisFence(client);
    expect([await fence.set('r', 'a', 8), await fence.set('r', 'b', 7)]).toEqual([true, false]);
    client.destroy();
  });
});
