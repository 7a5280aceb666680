import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { asOwner, event, TestService, worker } from './service.fixture.js';

const POLICY = `
defaults:
  lease: 10s
queues:
  emails: {idempotent: true}
  reports: {kinds: {monthly: {hardTimeout: 2h}}}
`;
const T0 = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number) => new Date(T0 + ms).toISOString();

describe('reports, on a manual clock', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(() => service.stop());

  const clock = (ms: number, more: object = {}) => service.call('PUT', '/v1/clock', { body: { now: at(ms), ...more } });
  const run = (body: object = {}) => service.call('POST', '/v1/reconciliations', { body });

  it('show a lost job as a would-have, its worker, and where the clock stops next', async () => {
    await service.send(
      event('queued', 'j1', { kind: 'k' }),
      event('started', 'j1', { ...worker('w1'), leaseMs: 5_000 }),
    );
    await service.send(event('queued', 'j2'));
    const before = await service.get('/v1/reconciliations');
    expect(before.body.nextDue).toContainEqual({ waitsFor: 'lease', at: at(5_000), jobs: 1 });
    expect((await service.get('/v1/workers')).body.items).toMatchObject([
      { id: 'w1', holds: [{ id: 'j1', leaseEndsAt: at(5_000), known: true }] },
    ]);
    expect((await clock(60_000, { untilDue: true })).body.now).toBe(at(5_000));
    const dry = await run({ dryRun: true });
    expect(dry.body).toMatchObject({
      dryRun: true,
      wouldHave: 1,
      rows: [{ id: 'j1', verdict: 'lost', action: 'requeue', level: 'observe', outcome: 'would-have' }],
    });
    expect((await service.get('/v1/verdicts')).body.items).toEqual([]);
    const real = await run();
    expect(real.body).toMatchObject({
      looked: 1,
      wouldHave: 1,
      rows: [{ id: 'j1', threshold: { source: 'job', ms: 5_000 } }],
    });
    expect((await service.get('/v1/verdicts')).body.items).toMatchObject([
      { id: 'j1', verdict: 'lost', grade: 'open', level: 'observe' },
    ]);
    const one = await service.get(`/v1/reconciliations/${real.body.id}`);
    expect(one.body.rows).toEqual(real.body.rows);
    const runs = await service.get('/v1/reconciliations?verdict=lost&queue=emails');
    expect(runs.body.items.map((r) => r.id)).toContain(real.body.id);
    expect((await service.get('/v1/reconciliations?verdict=hung')).body.items).toEqual([]);
    expect((await service.get('/v1/queues/emails')).body).toMatchObject({
      depth: 1,
      running: 1,
      stuck: 1,
      oldestAgeMs: 5_000,
    });
    const metrics = (await service.get('/metrics')).text;
    expect(metrics).toContain('worker_jobs_processed_total{queue="emails",status="lost"} 1');
    expect(metrics).toContain('worker_jobs_failed_total{queue="emails"} 1');
  });

  it('grade the would-have by what happened later, and count run times', async () => {
    await service.send(event('heartbeat', 'j1', { ...worker('w1'), leaseMs: 5_000 }));
    expect((await service.get('/v1/verdicts')).body.items).toMatchObject([{ id: 'j1', grade: 'wrong' }]);
    await service.send(event('succeeded', 'j1', { ...worker('w1'), durationMs: 1_500 }));
    const queue = (await service.get('/v1/queues?limit=1')).body.items[0];
    expect(queue).toMatchObject({ queue: 'emails', stuck: 0, running: 0, failureRatio: 0, quantiles: { samples: 1 } });
    expect(queue?.quantiles.p50Ms).toBeGreaterThanOrEqual(1_500);
    expect(queue?.quantiles.p50Ms).toBeLessThan(1_500 * 1.2);
  });

  it('show how long a run may take: the default, and what was learned once there are runs enough', async () => {
    const before = await service.get('/v1/queues/emails');
    expect(before.body).toMatchObject({ stuckAfter: { source: 'default', ms: 3_600_000 } });
    const runs = Array.from({ length: 60 }, (_, i) => `run-${String(i)}`);
    const sent = runs.flatMap((id) => [event('queued', id, { kind: 'nightly' }), event('succeeded', id, { durationMs: 600_000 })]);
    await service.send(...sent);
    await service.call('POST', '/v1/reconciliations', { body: {} });
    const { stuckAfter, kinds } = (await service.get('/v1/queues/emails')).body;
    expect(stuckAfter).toMatchObject({ source: 'learned', learned: { from: 'queue', samples: 61, longer: 0, quantile: 0.99, factor: 2 } });
    expect((stuckAfter as { readonly ms: number }).ms).toBeGreaterThanOrEqual(1_200_000);
    expect(kinds).toMatchObject({ nightly: { source: 'learned', learned: { from: 'kind', samples: 60 } } });
    expect((await service.get('/v1/queues?limit=1')).body.items[0]).toMatchObject({ stuckAfter: { source: 'learned' } });
  });

  it('show what a worker says to hold and nobody knows', async () => {
    await service.call('POST', '/v1/events', {
      body: {
        specversion: '1.0',
        id: 'wb1',
        source: '/w',
        subject: 'w9',
        type: 'jobwarden.worker.heartbeat.v1',
        data: { worker: { id: 'w9', revision: 'r7' }, jobs: [{ queue: 'emails', id: 'ghost' }], runtime: { rss: 5 } },
      },
    });
    const workers = (await service.get('/v1/workers')).body.items;
    expect(workers.find((w) => w.id === 'w9')).toMatchObject({
      revision: 'r7',
      runtime: { rss: 5 },
      holds: [{ id: 'ghost', known: false }],
    });
  });

  it('reconcile by themselves when nobody asks', async () => {
    await service.send(event('started', 'auto', { ...worker('w1'), leaseMs: 1_000 }));
    await clock(120_000);
    await waitUntil('the schedule looks', async () => {
      const { items } = (await service.get('/v1/verdicts?queue=emails')).body;
      return items.some((v) => v.id === 'auto');
    });
    expect(await clock(0)).toMatchObject({ status: 409, body: { code: 'clock_goes_back', now: at(120_000) } });
  });

  it('say of every policy value where it was written, and let operators override levels', async () => {
    const policies = (await service.get('/v1/policies')).body.items;
    const monthly = policies.find((p) => p.queue === 'reports' && p.kind === 'monthly');
    expect(monthly?.values['hardTimeout']).toEqual({
      value: 7_200_000,
      origin: { layer: 'kind', at: 'queues.reports.kinds.monthly', line: 6 },
    });
    expect(monthly?.values['lease']).toMatchObject({ value: 10_000, origin: { layer: 'defaults', line: 3 } });
    expect(monthly?.values['backoff.max']).toMatchObject({ value: 300_000, origin: { layer: 'default' } });
    const unsafe = await service.call('PUT', '/v1/queues/reports/levels', {
      body: { action: 'retry', level: 'act', reason: 'r' },
    });
    expect(unsafe).toMatchObject({ status: 409, body: { code: 'act_needs_safety' } });
    const set = await service.call('PUT', '/v1/queues/emails/levels', {
      body: { action: 'retry', level: 'act', reason: 'r' },
    });
    expect(set.body).toMatchObject({
      levels: { retry: 'act', requeue: 'observe' },
      overrides: [{ action: 'retry', fileLevel: 'observe', inForce: true, by: 'local' }],
    });
    expect((await service.get('/v1/queues/emails')).body.levels['retry']).toBe('act');
    const shown = (await service.get('/v1/policies?queue=emails')).body.items;
    expect(shown[0]?.values['actions.retry']?.origin.layer).toBe('operator');
    const wrong = await service.call('PUT', '/v1/queues/emails/levels', {
      body: { action: 'explode', level: 'act', reason: 'r' },
    });
    expect(wrong.body.errors[0]).toMatchObject({ field: 'action' });
  });

  it('stop everything by one switch', async () => {
    expect(
      (await service.call('PUT', '/v1/actions', { body: { enabled: false, reason: 'incident' } })).body,
    ).toMatchObject({ enabled: false, reason: 'incident', by: 'local', since: expect.any(String) as string });
    expect((await service.get('/v1/actions')).body.enabled).toBe(false);
    expect((await service.call('PUT', '/v1/actions', { body: { enabled: true, reason: '' } })).status).toBe(400);
    await service.call('PUT', '/v1/actions', { body: { enabled: true, reason: 'over' } });
  });

  it('export what describes the database, from one replica', async () => {
    await waitUntil('the publisher holds shard 0', async () =>
      (await service.get('/metrics')).text.includes('worker_queue_unprocessed_messages{queue="emails"} 1'),
    );
    const apiOnly = await TestService.start(database.url, POLICY, { JOBWARDEN_ROLES: 'api' });
    try {
      const metrics = (await apiOnly.get('/metrics')).text;
      expect(metrics).not.toMatch(/^worker_queue_unprocessed_messages/m);
      expect(metrics).toMatch(/^jobwarden_database_pool_in_use \d+$/m);
      expect((await apiOnly.get('/v1/queues')).status).toBe(200);
    } finally {
      await apiOnly.stop();
    }
    const workOnly = await TestService.start(database.url, POLICY, { JOBWARDEN_ROLES: 'work' });
    try {
      expect((await workOnly.get('/readyz')).status).toBe(200);
      expect((await workOnly.get('/metrics')).status).toBe(200);
      expect((await workOnly.get('/v1/queues')).status).toBe(404);
    } finally {
      await workOnly.stop();
    }
  });
});
