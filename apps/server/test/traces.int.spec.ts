import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { asOwner, event, TestService, worker } from './service.fixture.js';

const POLICY = `
defaults: {lease: 10s, grace: 5s, startBy: 30s, maxRetries: 0, blackout: {minWorkers: 1000}}
queues: {emails: {}, reports: {}}
traces: {url: 'https://traces.example.com/trace/{traceId}'}
`;
const T0 = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number) => new Date(T0 + ms).toISOString();

const traceOf = (n: number) => n.toString(16).padStart(32, '0');
const spanOf = (n: number) => n.toString(16).padStart(16, '0');
const contextOf = (trace: number, span: number, flags = '01') => ({ traceparent: `00-${traceOf(trace)}-${spanOf(span)}-${flags}` });

describe('traces that are not completed', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await TestService.start(database.url, POLICY);
    await queued('lost', contextOf(1, 1));
    await started('lost', contextOf(1, 2));
    await queued('untraced', {});
    await started('untraced', {});
    await queued('hostile', { traceparent: contextOf(3, 3).traceparent.replaceAll('0', 'A') });
    await started('hostile', { traceparent: 'x'.repeat(2_000) });
    await queued('done', contextOf(4, 4));
    await started('done', contextOf(4, 5));
    await service.send(event('succeeded', 'done', { queue: 'emails', ...worker('w1') }));
    await queued('running', contextOf(5, 6));
    await queued('starved', contextOf(6, 7, '00'));
    await queued('failed', contextOf(7, 8));
    await service.send(event('failed', 'failed', { queue: 'emails', error: { class: 'E', message: 'm' } }));
    await queued('elsewhere', contextOf(8, 9), 'reports');
    await started('elsewhere', contextOf(8, 10), 'reports');
    await now(20_000);
    await started('running', contextOf(5, 11));
    await runAt(40_000, 'running');
  }, 60_000);
  afterAll(() => service.stop());

  const queued = (id: string, context: object, queue = 'emails') => service.send({ ...event('queued', id, { queue, kind: 'welcome' }), ...context });
  const started = (id: string, context: object, queue = 'emails') => service.send({ ...event('started', id, { queue, ...worker('w1'), leaseMs: 10_000 }), ...context });
  const now = (ms: number) => service.call('PUT', '/v1/clock', { body: { now: at(ms) } });
  async function runAt(ms: number, beating?: string): Promise<void> {
    await now(ms);
    if (beating !== undefined) await service.send(event('heartbeat', beating, { queue: 'emails', ...worker('w1') }));
    await service.call('POST', '/v1/reconciliations', { body: {} });
  }
  const incomplete = async (query = 'queue=emails') => await service.get(`/v1/traces/incomplete?${query}`);
  const ids = async (query?: string) => (await incomplete(query)).body.items.map(({ id }) => id);

  it('are those of jobs of which nothing more is expected, and of no others', async () => {
    const { status, body } = await incomplete();
    expect(status).toBe(200);
    const seen = body.items.map(({ id, because, status: of }) => [id, because, of]);
    expect(seen.sort()).toEqual([
      ['failed', 'failed', 'failed'],
      ['lost', 'would-have', 'processing'],
      ['starved', 'starved', 'queued'],
    ]);
    expect(await ids('queue=reports')).toEqual(['elsewhere']);
    expect(await ids('namespace=other')).toEqual([]);
    expect(await ids(`queue=emails&since=${at(1)}`)).toEqual([]);
  });

  it('name the last span that is known, whose it is, and since when nobody has been heard of', async () => {
    const { items } = (await incomplete()).body;
    expect(items.find(({ id }) => id === 'lost')).toMatchObject({
      ...{ queue: 'emails', kind: 'welcome', attempt: 1, traceId: traceOf(1), sampled: true, traceUrl: `https://traces.example.com/trace/${traceOf(1)}` },
      lastSpan: { spanId: spanOf(2), event: 'started', at: at(0), attempt: 1, worker: { id: 'w1' } },
      gaps: [{ attempt: 1, from: at(10_000), until: null, ms: 30_000 }],
    });
    expect(items.find(({ id }) => id === 'starved')).toMatchObject({ sampled: false, lastSpan: { spanId: spanOf(7), event: 'queued', at: at(0) }, gaps: [] });
  });

  it('come page by page, each once, and a cursor of something else is refused', async () => {
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const { body } = await incomplete(`limit=1${next === '' ? '' : `&next=${next}`}`);
      seen.push(...body.items.map(({ id }) => id));
      next = body.next;
    }
    expect(seen.sort()).toEqual(['elsewhere', 'failed', 'lost', 'starved']);
    const { body } = await incomplete('queue=emails&limit=1');
    expect((await incomplete(`queue=reports&next=${String(body.next)}`)).body.code).toBe('cursor_invalid');
  });

  it('are linked to where traces are looked at, as jobs are', async () => {
    const { body } = await service.get('/v1/queues/emails/jobs/done');
    expect(body).toMatchObject({ traceId: traceOf(4), traceUrl: `https://traces.example.com/trace/${traceOf(4)}` });
    expect((await service.get('/v1/queues/emails/jobs/hostile')).body['traceId']).toBeUndefined();
    expect((await service.get('/v1/me')).body['traceUrl']).toBe('https://traces.example.com/trace/{traceId}');
  });

  it('are no longer once somebody is heard of again', async () => {
    await service.send(event('heartbeat', 'lost', { queue: 'emails', ...worker('w1') }));
    expect(await ids()).not.toContain('lost');
  });
});

describe('traces that are not completed, where Jobwarden acts', () => {
  const database = useTestDatabase();
  let service: TestService;
  let n = 20;

  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await TestService.start(database.url, 'defaults: {actions: act, idempotent: true, lease: 10s, grace: 5m, startBy: 30m, blackout: {minWorkers: 1000}}');
  }, 60_000);
  afterAll(() => service.stop());

  const send = async (type: string, id: string, data: object = {}) => await service.send({ ...event(type, id, { queue: 'emails', ...worker('w1'), ...data }), ...contextOf(9, (n += 1)) });
  async function runAt(ms: number): Promise<void> {
    await service.call('PUT', '/v1/clock', { body: { now: at(ms) } });
    await service.call('POST', '/v1/reconciliations', { body: {} });
  }
  const listed = async () => (await service.get('/v1/traces/incomplete?queue=emails')).body.items;

  it('are those that a person has to look at: what is held for over a minute, and what nothing can be put back with', async () => {
    // What it says nobody knows: until somebody has looked at it, nothing is decided of the job that it names.
    await send('started', 'held', { leaseMs: 10_000 });
    await service.call('POST', '/v1/events', { body: { ...event('paused-by-hand', 'held', { queue: 'emails' }) } });
    await send('started', 'silent', { leaseMs: 10_000 });
    await runAt(15_000);
    // It was found lost, and is heard of again.
    expect((await service.get('/v1/queues/emails/jobs/silent')).body).toMatchObject({ status: 'restart-requested' });
    expect(await listed()).toEqual([]);
    await send('heartbeat', 'silent', { leaseMs: 10_000 });
    await runAt(16_000);
    await send('released', 'silent');
    await runAt(400_000);
    const items = await listed();
    expect(items.map(({ id, because, heldBy }) => [id, because, heldBy]).sort()).toEqual([['held', 'held', 'quarantine'], ['silent', 'incomplete', undefined]]);
    expect(items.find(({ id }) => id === 'silent')?.['gaps']).toEqual([{ attempt: 1, from: at(10_000), until: at(15_000), ms: 5_000 }]);
  });
});
