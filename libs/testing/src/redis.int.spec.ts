import { Redis as Client } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { redisLeftOut, startRedis } from './redis.js';

describe.skipIf(redisLeftOut())('a Redis of the tests', () => {
  it('is empty, keeps what it is told, and is gone when it is stopped', async () => {
    const redis = await startRedis();
    const client = new Client(redis.url, { retryStrategy: () => null });
    client.on('error', () => undefined);
    try {
      expect(await client.dbsize()).toBe(0);
      await client.set('a', '1');
      expect(await client.get('a')).toBe('1');
    } finally {
      await redis.stop();
    }
    await expect(client.get('a')).rejects.toThrow();
  });

  it('says what is wrong with a setting', async () => {
    await expect(startRedis({ settings: ['--no-such-setting', '1'] })).rejects.toThrow(/no-such-setting/u);
  });
});
