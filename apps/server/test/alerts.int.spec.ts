import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { event, TestService, type Answer, type Item } from './service.fixture.js';

const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const token = (name: string, namespaces: string) => `  - {name: ${name}, hash: ${hash(name)}, scopes: [emit, read, operate], namespaces: [${namespaces}]}`;
const POLICY = ['limits: {body: 64KiB}', 'tokens:', token('peer', '"*"'), token('acme', 'acme')].join('\n');
const START = '2026-01-05T08:00:00.123456789Z';

interface AlertOptions {
  readonly queue?: string;
  readonly fingerprint?: string;
  readonly startsAt?: string;
  readonly status?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

function alert({ queue = 'mail', fingerprint = 'f', startsAt = START, status = 'firing', labels = {} }: AlertOptions): object {
  return { status, startsAt, fingerprint, labels: { queue, action: 'trigger-rollback', ...labels }, annotations: { ratio: '0.3' } };
}

describe('alerts', () => {
  const database = useTestDatabase();
  let service: TestService;
  const as = (name: string) => ({ authorization: `Bearer ${name}` });
  const post = async (...alerts: readonly object[]): Promise<Answer> =>
    await service.call('POST', '/v1/alerts', { headers: as('peer'), body: { version: '4', alerts } });
  const outcomes = ({ body }: Answer) => body.results.map(({ outcome, reason }) => (typeof reason === 'string' ? `${outcome}: ${reason}` : outcome));
  const list = async (query = '', name = 'peer'): Promise<readonly Item[]> => (await service.get(`/v1/signals${query}`, as(name))).body.items;
  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
    const sent = ['mail', 'bills', 'twice'].map((queue) => event('queued', `j-${queue}`, { queue }));
    const elsewhere = ['twice', 'theirs'].map((queue) => event('queued', `k-${queue}`, { queue }, { namespace: 'acme' }));
    const also = event('queued', 'l', { queue: 'shared' }, { namespace: 'acme' });
    const too = event('queued', 'm', { queue: 'shared' }, { namespace: 'other' });
    expect((await service.call('POST', '/v1/events', { headers: as('peer'), body: [...sent, ...elsewhere, also, too] })).status).toBe(200);
  });
  afterAll(() => service.stop());

  it('are one signal from three peers, five times, two of them after it was resolved (J4)', async () => {
    const firing = alert({ fingerprint: 'peers' });
    const [first] = await Promise.all([post(firing), post(firing), post(firing)]);
    await post(alert({ fingerprint: 'peers', status: 'resolved' }));
    const late = [await post(firing), await post(firing)];
    const signals = (await list()).filter(({ fingerprint }) => fingerprint === 'peers');
    expect(signals).toMatchObject([{ queue: 'mail', namespace: 'default', times: 6, settled: 'over', figures: { ratio: 0.3 } }]);
    expect(late.map(outcomes)).toEqual([['repeated: over'], ['repeated: over']]);
    expect(first.status).toBe(200);
    expect(outcomes(await post(alert({ fingerprint: 'peers', startsAt: '2026-01-05T09:00:00Z' })))).toEqual(['signal']);
  });

  it('that cannot be acted on are kept with the reason, and take none of their payload along', async () => {
    const answer = await post(
      alert({ fingerprint: 'no queue', queue: '' }),
      alert({ fingerprint: 'nobody', queue: 'nobody' }),
      alert({ fingerprint: 'broken', startsAt: 'soon' }),
      alert({ fingerprint: 'early', status: 'resolved' }),
      { labels: 7 },
      alert({ fingerprint: 'other action', labels: { action: 'page' } }),
      alert({ fingerprint: 'a\0b', queue: 'c\0d' }),
      alert({ fingerprint: 'good', queue: 'bills' }),
    );
    expect(answer.status).toBe(200);
    expect(outcomes(answer)).toEqual([
      ...['refused: no_queue', 'refused: queue_unknown', 'refused: time_invalid', 'refused: resolved_before_firing'],
      ...['refused: alert_invalid', 'ignored', 'refused: queue_unknown', 'signal'],
    ]);
    const settled = await list('?state=settled&limit=1000');
    for (const { reason, signalId } of answer.body.results.filter(({ outcome }) => outcome === 'refused')) {
      expect(settled.find(({ id }) => id === signalId)).toMatchObject({ settled: reason });
    }
    expect((await list('?state=open')).map(({ queue }) => queue)).toContain('bills');
    expect(service.logged.filter((line) => line.includes('an alert cannot be acted on')).length).toBeGreaterThanOrEqual(6);
  });

  it('of another version, or no alerts at all, are refused as a whole, and that is kept too', async () => {
    const call = (body: unknown) => service.call('POST', '/v1/alerts', { headers: as('peer'), body });
    expect(await call({ version: '3', alerts: [alert({})] })).toMatchObject({ status: 400, body: { code: 'version_unknown' } });
    expect(await call({ version: '4', alerts: 'all' })).toMatchObject({ status: 400, body: { code: 'payload_invalid' } });
    expect(await call('{"version": "4", "alerts": [')).toMatchObject({ status: 400, body: { code: 'unreadable' } });
    expect((await list('?state=settled')).slice(0, 2).map(({ settled }) => settled)).toEqual(['payload_invalid', 'version_unknown']);
  });

  it('mean the queue of their namespace, or the only one of its name, and never one that the token may not see', async () => {
    const of = async (name: string, queue: string, labels = {}) => {
      const body = { version: '4', alerts: [alert({ queue, labels, fingerprint: `${name} ${queue} ${JSON.stringify(labels)}` })] };
      const answer = await service.call('POST', '/v1/alerts', { headers: as(name), body });
      const signal = (await list()).find(({ id }) => id === answer.body.results[0]?.['signalId']);
      return signal?.['settled'] ?? signal?.namespace;
    };
    // What Prometheus adds is the namespace of the pod that was scraped.
    expect(await of('peer', 'twice', { namespace: 'acme' })).toBe('default');
    expect(await of('peer', 'twice', { jobwarden_namespace: 'acme' })).toBe('acme');
    expect(await of('peer', 'theirs')).toBe('acme');
    expect(await of('peer', 'shared')).toBe('queue_ambiguous');
    expect(await of('acme', 'shared')).toBe('acme');
    expect(await of('acme', 'mail')).toBe('queue_unknown');
    expect(await of('acme', 'twice', { jobwarden_namespace: 'default' })).toBe('queue_unknown');
    expect((await list('', 'acme')).every(({ namespace }) => namespace === 'acme')).toBe(true);
  });

  it('come a thousand at once, larger than other bodies may be, and none is lost', async () => {
    const labels = { text: 'x'.repeat(500) };
    const many = Array.from({ length: 1_000 }, (_, i) => alert({ fingerprint: `many-${String(i)}`, labels, queue: i % 5 === 0 ? 'mail' : `q-${String(i)}` }));
    const answer = await post(...many);
    expect([answer.status, answer.body['received']]).toEqual([200, 1_000]);
    const counts = Object.groupBy(outcomes(answer), (outcome) => outcome);
    expect([counts['signal']?.length, counts['refused: queue_unknown']?.length]).toEqual([200, 800]);
    expect((await service.get('/metrics', as('peer'))).text).toMatch(/^jobwarden_alerts_total\{outcome="refused"\} 8\d\d$/mu);
  });

  it('lead to nothing of what is under maintenance, which is started, listed and ended by call', async () => {
    const call = (method: string, path: string, body?: object, name = 'peer') =>
      service.call(method, `/v1/maintenance${path}`, { headers: as(name), ...(body !== undefined && { body }) });
    const made = await call('POST', '', { queue: 'mail', for: '2h', reason: 'new disks' });
    expect(made).toMatchObject({ status: 201, body: { namespace: 'default', queue: 'mail', target: null, by: 'peer', endedAt: null } });
    expect((await call('GET', '')).body.items).toMatchObject([{ id: made.body.id }]);
    expect(await call('DELETE', `/${made.body.id}`, undefined, 'acme')).toMatchObject({ status: 404, body: { code: 'window_unknown' } });
    expect(await call('DELETE', `/${made.body.id}`)).toMatchObject({ status: 200, body: { endedBy: 'peer' } });
    for (const body of [{ for: '1h', reason: 'r' }, { queue: 'q', for: '8d', reason: 'r' }, { queue: 'q', for: '1h', reason: ' ' }, { queue: 'q', for: 'long', reason: 'r' }]) {
      expect((await call('POST', '', body)).status, JSON.stringify(body)).toBe(400);
    }
    expect(await call('POST', '', { target: 'prod/x', for: '1h', reason: 'r' }, 'acme')).toMatchObject({ status: 403, body: { code: 'namespace_bound' } });
    expect(await call('POST', '', { queue: 'mail', for: '1h', reason: 'r' }, 'acme')).toMatchObject({ status: 404 });
    expect(await call('POST', '', { namespace: 'acme', for: '1h', reason: 'r' }, 'acme')).toMatchObject({ status: 201 });
  });
});

describe('a thousand alerts in one payload', () => {
  const database = useTestDatabase();
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start(database.url, 'queues:\n  orders: {rollback: {target: "simulated:orders"}}');
    await service.send(...['mail', 'bills', 'orders'].map((queue) => event('queued', `j-${queue}`, { queue })));
  });
  afterAll(() => service.stop());

  it('are an incident for each target and for what has none, and each one that cannot be acted on is kept with its reason', async () => {
    const queues = ['mail', 'mail', 'mail', 'bills', 'orders', '', '', 'nobody', 'nobody', 'nobody'] as const;
    const alerts = Array.from({ length: 1_000 }, (_, i) => {
      const queue = queues[i % queues.length] ?? '';
      return alert({ fingerprint: `f-${String(i)}`, queue: queue === 'nobody' ? `nobody-${String(i)}` : queue });
    });
    for (const outcomes of [{ signal: 500, refused: 500 }, { repeated: 500, refused: 500 }]) {
      const answer = await service.call('POST', '/v1/alerts', { body: { version: '4', alerts } });
      const found = Object.groupBy(answer.body.results, ({ outcome }) => outcome);
      expect(Object.fromEntries(Object.entries(found).map(([outcome, all]) => [outcome, all?.length]))).toEqual(outcomes);
      await waitUntil('every signal has its incident', async () => (await service.get('/v1/signals?state=open')).body.items.length === 0, { withinMs: 30_000, everyMs: 50 });
    }
    const incidents = (await service.get('/v1/incidents?kind=saturation')).body.items;
    expect(incidents.map(({ subject }) => subject).sort()).toEqual(['default/unknown', 'simulated:orders']);
    const standing = (await service.get('/v1/signals?state=standing&limit=1000')).body.items;
    const perIncident = Object.groupBy(standing, ({ incidentId }) => String(incidentId));
    expect(Object.values(perIncident).map((all) => all?.length).sort()).toEqual([100, 400]);
    const settled = Object.groupBy((await service.get('/v1/signals?state=settled&limit=1000')).body.items, (item) => String(item['settled']));
    expect([settled['no_queue']?.length, settled['queue_unknown']?.length, Object.keys(settled).length]).toEqual([200, 300, 2]);
  });
});
