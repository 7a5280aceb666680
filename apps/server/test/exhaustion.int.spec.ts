import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { event, TestService } from './service.fixture.js';

/** F1: a pool without a free connection is told, never waited for; and what fails gives its connection back. */
describe('an exhausted pool', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url);
  });
  afterAll(() => service.stop());

  const locks = new Set<pg.Client>();
  /** Somebody holds what every append needs: its transactions queue up and keep their connections. */
  async function holdTheLog(): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: database.url });
    locks.add(client);
    await client.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE jobwarden.jobs IN ACCESS EXCLUSIVE MODE');
    return async () => {
      await client.query('ROLLBACK');
      await client.end();
      locks.delete(client);
    };
  }

  it('answers 503 connection_exhaustion within its two seconds, and recovers without a leak', async () => {
    await service.send(event('queued', 'before'));
    const release = await holdTheLog();
    const cancel = (i: number) =>
      service.call('POST', `/v1/queues/emails/jobs/j${String(i)}/cancel`, { body: { reason: 'r' } });
    const startedMs = performance.now();
    const answers = Array.from({ length: 30 }, async (_, i) => {
      const { status, body, headers } = await cancel(i);
      return { status, code: body.code, retryAfter: headers.get('retry-after'), ms: performance.now() - startedMs };
    });
    await waitUntil('twenty are refused', async () => {
      const done = await Promise.all(answers.map((a) => Promise.race([a, Promise.resolve(null)])));
      return done.filter((a) => a?.status === 503).length === 20;
    });
    // Reports have their own pool; the process is alive and says so.
    expect((await service.get('/healthz')).status).toBe(200);
    await release();
    const all = await Promise.all(answers);
    const refused = all.filter((a) => a.status === 503);
    expect(refused.length).toBe(20);
    for (const { code, retryAfter, ms } of refused) {
      expect({ code, retryAfter }).toEqual({ code: 'connection_exhaustion', retryAfter: '1' });
      expect(ms).toBeLessThan(4_000);
    }
    expect(all.filter((a) => a.status === 404).length).toBe(10);
    await service.send(event('queued', 'after'));
    const metrics = (await service.get('/metrics')).text;
    expect(/^jobwarden_database_pool_waiting (\d+)$/m.exec(metrics)?.[1]).toBe('0');
  });

  it('refuses events in the same time, and what was refused is stored nowhere', async () => {
    const release = await holdTheLog();
    const refused: { readonly code: string; readonly ms: number }[] = [];
    const startedMs = performance.now();
    const send = async (i: number): Promise<number> => {
      const { status, body } = await service.call('POST', '/v1/events', { body: event('queued', `held-${String(i)}`) });
      if (status === 503) refused.push({ code: body.code, ms: performance.now() - startedMs });
      return status;
    };
    const answers = Promise.all(Array.from({ length: 20 }, (_, i) => send(i)));
    // Two transactions are under way; everybody else is told.
    await waitUntil('most are refused', () => refused.length >= 10);
    await release();
    const all = await answers;
    for (const { code, ms } of refused) {
      expect(code).toBe('connection_exhaustion');
      expect(ms).toBeLessThan(4_000);
    }
    const stored = await service.get('/v1/jobs?queue=emails&limit=1000');
    const held = stored.body.items.filter((j) => j.id.startsWith('held-'));
    expect(held.length).toBe(all.filter((status) => status === 200).length);
    expect(held.length + refused.length).toBe(20);
  });

  it('leaks nothing over a thousand calls of which half fail', async () => {
    const call = async (i: number): Promise<number> => {
      const body = i % 2 === 0 ? event('queued', `l${String(i)}`) : event('nonsense', `l${String(i)}`);
      return (await service.call('POST', '/v1/events', { body })).status;
    };
    const statuses: number[] = [];
    for (let at = 0; at < 1_000; at += 50) {
      statuses.push(...(await Promise.all(Array.from({ length: 50 }, (_, i) => call(at + i)))));
    }
    expect(statuses.filter((s) => s === 200).length).toBe(500);
    expect(statuses.filter((s) => s === 400).length).toBe(500);
    await waitUntil('no connection is in use', async () => {
      const metrics = (await service.get('/metrics')).text;
      return Number(/^jobwarden_database_pool_in_use (\d+)$/m.exec(metrics)?.[1]) <= 2;
    });
  });
});
