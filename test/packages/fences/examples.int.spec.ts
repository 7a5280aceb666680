import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redisLeftOut, startProcess, startRedis, useTestDatabase } from '#libs/testing';

async function outputOf(name: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const entry = join(import.meta.dirname, '../../../packages/fences/examples', `${name}.js`);
  const example = startProcess({ entry, env });
  const { code } = await example.exited;
  expect({ code, output: example.output() }).toMatchObject({ code: 0 });
  return example.output();
}

describe('the examples of the fences, each with two racers and one effect', () => {
  const database = useTestDatabase({ empty: true });

  it('over HTTP', async () => {
    const output = await outputOf('http');
    expect(output).toContain('token 8: 204, token 7: 412 stale_token');
    expect(output).toContain('the invoice is by the worker with token 8');
  });

  it('in PostgreSQL', async () => {
    const output = await outputOf('postgres', { DATABASE_URL: database.url });
    expect(output).toContain('token 7: stale: nothing written\n1 payout, by token 8');
  });

  it.skipIf(redisLeftOut())('in Redis', async () => {
    const redis = await startRedis();
    try {
      const output = await outputOf('redis', { REDIS_URL: redis.url });
      expect(output).toContain('token 7: stale: nothing written\ntoken 7: the lines have not run\none value: by token 8');
    } finally {
      await redis.stop();
    }
  });
});
