// I2: three replicas of a cache, the shipped service, a real Redis.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCacheGuard, redisStore, sseInvalidations, type CacheGuard, type LogPosition } from '@jobwarden/cache-guard';
import { createClient, type StreamItem } from '@jobwarden/client';
import { Redis as Ioredis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { redisLeftOut, ServerReplica, startProcess, startRedis, useTestDatabase, waitUntil, type Redis, type TestProcess } from '#libs/testing';

const queue = 'q';
const tags = ['all'];

describe.skipIf(redisLeftOut())('caches of three replicas', () => {
  const database = useTestDatabase();
  const stop = new AbortController();
  let service: ServerReplica;
  let server: Redis;
  let redis: Ioredis;
  let replicas: readonly CacheGuard[];
  let client: ReturnType<typeof createClient>;
  let value = 0;
  let started: TestProcess | undefined;

  beforeAll(async () => {
    [service, server] = await Promise.all([ServerReplica.start({ env: { JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_LOG_LEVEL: 'warn' } }), startRedis()]);
    redis = new Ioredis(server.url);
    client = createClient({ url: service.url });
    replicas = [0, 1, 2].map(() => createCacheGuard({ source: sseInvalidations({ client }), shared: redisStore(redis) }));
    await Promise.all(replicas.map((replica) => replica.ready));
    await waitUntil('all know where they are', () => replicas.every((replica) => replica.stats().owed === 0));
  });
  afterAll(async () => {
    stop.abort();
    await started?.kill();
    await Promise.all(replicas.map((replica) => replica.close()));
    await service.stop();
    redis.disconnect();
    await server.stop();
  });
  // With the value as it is: one that changes without an invalidation may stay unseen for ever.
  beforeEach(() => fill());

  const read = (replica: CacheGuard, after?: LogPosition) => replica.get('a', () => value, { tags, after });
  const sizes = () => replicas.map((replica) => replica.stats().size);
  const fill = () => waitUntil('all have it', async () => (await Promise.all(replicas.map((replica) => read(replica)))).every((v) => v === value) && sizes().join() === '1,1,1');
  const send = (id: string, type: string, data: object = {}) =>
    client.send([{ specversion: '1.0', id: `${id}-${type}-${JSON.stringify(data)}`, source: 'test', subject: id, type: `jobwarden.job.${type}.v1`, data: { queue, ...data } }]);

  it('are empty within a second of an invalidation, and no older value comes back', async () => {
    value += 1;
    await send('done', 'succeeded', { invalidates: { keys: [], tags } });
    await waitUntil('all are empty', () => sizes().join() === '0,0,0', { withinMs: 1_000 });
    expect(await Promise.all(replicas.map((replica) => read(replica)))).toEqual([value, value, value]);
  });

  it('of cache-manager do the same, as the README has it', async () => {
    const folder = join(import.meta.dirname, '../../../packages/cache-guard');
    const example = join(folder, 'examples/cache-manager.js');
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(readFileSync(example, 'utf8'));
    const { code } = await (started = startProcess({ entry: example, env: { JOBWARDEN_URL: service.url, REDIS_URL: server.url } })).exited;
    expect([code, started.output()]).toEqual([0, expect.stringContaining('before: 1, after: 2')]);
  });

  it('hear after an outage what was said meanwhile', async () => {
    await service.kill();
    // What the replicas hold stays good, as nothing is invalidated while nobody can be.
    expect(sizes()).toEqual([1, 1, 1]);
    value += 1;
    await service.startAgain();
    await send('meanwhile', 'succeeded', { invalidates: { keys: ['a'] } });
    await waitUntil('all are empty', () => sizes().join() === '0,0,0');
    expect(await Promise.all(replicas.map((replica) => read(replica)))).toEqual([value, value, value]);
  });

  it('are told before a job is run again, and after it is done', async () => {
    const items: { readonly stream: string; readonly item: Extract<StreamItem, { kind: 'event' }> }[] = [];
    const follow = async (stream: 'commands' | 'invalidations') => {
      for await (const item of client.stream(stream, { signal: stop.signal, from: 'start' })) if (item.kind === 'event' && item.event.subject === 'again') items.push({ stream, item });
    };
    void follow('commands');
    void follow('invalidations');
    await send('again', 'queued', { payload: 1, invalidates: { keys: ['a'] } });
    await send('again', 'started', { worker: { id: 'w1' }, leaseMs: 60_000 });
    await client.call('POST', `/v1/queues/${queue}/jobs/again/restart`, { reason: 'again' });
    value += 1;
    await send('again', 'released', { worker: { id: 'w1' } });
    const enqueue = () => items.find(({ item }) => item.type === 'jobwarden.command.enqueue.v1')?.item.event.data as { invalidation: LogPosition; attempt: number } | undefined;
    await waitUntil('the command comes', () => enqueue() !== undefined);
    const after = enqueue()?.invalidation;
    expect(after).toBeDefined();
    // A worker that knows of it reads nothing older, whether its replica has heard yet or not.
    expect(await Promise.all(replicas.map((replica) => read(replica, after)))).toEqual([value, value, value]);
    await send('again', 'started', { attempt: 2, worker: { id: 'w2' } });
    await send('again', 'succeeded', { attempt: 2, worker: { id: 'w2' } });
    const invalidations = () => items.filter(({ stream }) => stream === 'invalidations').map(({ item }) => item.event.data as { cause: string; position: LogPosition });
    await waitUntil('both invalidations come', () => invalidations().length === 2);
    expect(invalidations().map(({ cause }) => cause)).toEqual(['requeue', 'completed']);
    expect(invalidations()[0]?.position).toEqual(after);
    const log = (await client.call('GET', `/v1/queues/${queue}/jobs/again/events`)) as { items: { type: string; position: LogPosition }[] };
    const numberOf = (type: string) => log.items.findLast((event) => event.type === `jobwarden.job.${type}.v1`)?.position.number;
    expect(after?.number).toBe(numberOf('requeued'));
    expect(invalidations()[1]?.position.number).toBe(numberOf('succeeded'));
    // In the order in which it went out: the requeue's invalidation has its place before the command.
    const { rows } = await placesOf(database.url);
    expect(rows.map(({ kind }) => kind)).toEqual(['invalidation', 'enqueue', 'invalidation']);
  });
});

async function placesOf(url: string): Promise<{ rows: { kind: string }[] }> {
  const { default: pg } = await import('pg');
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    return await admin.query<{ kind: string }>(
      `SELECT o.kind FROM jobwarden.outbound o WHERE o.message::jsonb ->> 'subject' = 'again' AND o.kind IN ('invalidation', 'enqueue') ORDER BY o.place`,
    );
  } finally {
    await admin.end();
  }
}
