import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Changes, HOUSEKEEPING_AGES, QueueSampler, type StreamItem } from '#libs/application';
import { Database, PgChangeStore, PgHousekeeping, PgQueueSampleStore } from '#libs/postgres';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { EventReader } from './sse.fixture.js';
import { event, TestService, worker } from './service.fixture.js';

const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const POLICY = `
defaults: {stuckAfter: 1h, actions: act, idempotent: true}
tokens:
  - {name: all, hash: ${hash('all')}, scopes: [admin], namespaces: ["*"]}
  - {name: shop, hash: ${hash('shop')}, scopes: [read], namespaces: [shop]}
`;
const of = (token: string) => ({ authorization: `Bearer ${token}` });
const w1 = worker('w1');

interface Overview {
  readonly samples: readonly string[];
  readonly queues: readonly { readonly namespace: string; readonly queue: string; readonly [field: string]: unknown }[];
  readonly openIncidents: number;
  readonly incidents: readonly object[];
}

describe('what pages ask for', () => {
  const place = useTestDatabase();
  let service: TestService;
  let database: Database;

  beforeAll(async () => {
    service = await TestService.start(place.url, POLICY);
    database = new Database({ url: place.url, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const send = async (...events: readonly object[]) => {
    const answer = await service.call('POST', '/v1/events', { body: events, headers: of('all') });
    expect(answer.body.results.map(({ outcome }) => outcome)).toEqual(events.map(() => 'appended'));
  };
  const overview = async (token: string, query = '') => (await service.get(`/v1/overview${query}`, of(token))).body as unknown as Overview;

  it('is who one is, and what one may do and see', async () => {
    await send({ ...event('queued', 'a', { queue: 'mail' }), namespace: 'shop' }, event('queued', 'b', { queue: 'mail' }));
    const [all, shop] = await Promise.all(['all', 'shop'].map(async (token) => (await service.get('/v1/me', of(token))).body));
    expect(all).toMatchObject({ name: 'all', scopes: ['emit', 'read', 'operate', 'admin'], namespaces: ['default', 'shop'], everywhere: true, open: false });
    expect(shop).toMatchObject({ name: 'shop', scopes: ['read'], namespaces: ['shop'], everywhere: false });
    expect((await service.get('/v1/me')).status).toBe(401);
  });

  it('is what an open incident waits for, and nothing to whoever may not see it', async () => {
    await send(event('queued', 'c', { queue: 'orders' }));
    const answer = await service.call('POST', '/v1/incidents', { body: { queue: 'orders', revision: 'v2', reason: 'it eats orders', dryRun: true }, headers: of('all') });
    const { incidentId } = answer.body as unknown as { readonly incidentId: string };
    expect((await overview('all')).incidents).toMatchObject([{ incidentId, run: { target: null, source: 'person', dryRun: true } }]);
    expect((await overview('shop')).incidents).toEqual([]);
    await service.call('POST', `/v1/incidents/${incidentId}/resolve`, { body: { reason: 'seen' }, headers: of('all') });
  });

  it('is how every queue stands, of the namespaces that the token sees', async () => {
    await send(
      ...['1', '2', '3', '4'].map((id) => event('queued', id, { queue: 'glance' })),
      ...['1', '2', '3'].map((id) => event('started', id, { queue: 'glance', ...w1 })),
      event('succeeded', '1', { queue: 'glance', ...w1 }),
      event('failed', '2', { queue: 'glance', ...w1, error: { class: 'E', message: 'no' }, retryable: false }),
    );
    const glance = (found: Overview) => found.queues.find(({ queue }) => queue === 'glance');
    expect(glance(await overview('all'))).toMatchObject({
      ...{ namespace: 'default', waiting: 1, running: 1, stuck: 0, held: 0, gate: 'open' },
      recent: { succeeded: 1, failed: 1 },
      levels: { requeue: 'act' },
    });
    expect((await overview('shop')).queues.map(({ namespace }) => namespace)).toEqual(['shop']);
    expect((await overview('all', '?namespace=shop')).queues.map(({ namespace }) => namespace)).toEqual(['shop']);
    expect((await service.get('/v1/overview?namespace=default', of('shop'))).status).toBe(404);
  });

  it('has the last hour of each queue from samples, one a minute, of which nothing is counted twice', async () => {
    const [exporter] = await database.query<{ holder: string }>(`SELECT holder::text FROM jobwarden.publishers WHERE shard = 0`);
    const sampler = new QueueSampler(new PgQueueSampleStore(database), exporter?.holder ?? '');
    await waitUntil('a sample', async () => (await database.query('SELECT FROM jobwarden.queue_samples')).length > 0);
    await database.query('TRUNCATE jobwarden.queue_samples');
    await database.query('UPDATE jobwarden.outcomes SET slot_ms = slot_ms - 60000');
    expect((await overview('all')).queues.find(({ queue: name }) => name === 'glance')).toMatchObject({ waitingHistory: [], failureHistory: [], medianHistory: [] });
    await sampler.turn();
    await sampler.turn();
    const before = await overview('all');
    const queue = before.queues.find(({ queue: name }) => name === 'glance');
    expect(before.samples).toHaveLength(1);
    expect(queue).toMatchObject({ waitingHistory: [1], failureHistory: [0.5], medianHistory: [], recent: { succeeded: 1, failed: 1 } });
    expect(before.queues.find(({ queue: name }) => name === 'mail')).toMatchObject({ waitingHistory: [1], failureHistory: [] });
    expect(await new QueueSampler(new PgQueueSampleStore(database), 'another').turn()).toBe(false);
    expect(await database.query('SELECT FROM jobwarden.queue_samples WHERE queue_id = 0')).toHaveLength(1);
  });

  it('has what the canary gate answered last, as far as one may see it', async () => {
    await send(
      { ...event('queued', 'c', { queue: 'ship' }), namespace: 'shop' },
      ...['canary', 'stable'].map((track) => ({ ...event('started', track, { queue: 'ship', attempt: 1, worker: { id: track, revision: track, track } }), namespace: 'shop' })),
      ...['canary', 'stable'].map((track) => ({ ...event('succeeded', track, { queue: 'ship', attempt: 1, worker: { id: track, revision: track, track } }), namespace: 'shop' })),
    );
    const gates = async (token: string, query = '') => ((await overview(token, query)) as unknown as { readonly gates: readonly unknown[] }).gates;
    expect(await gates('all')).toEqual([]);
    await service.get('/v1/gates/canary?namespace=shop&queue=ship&form=argo', of('all'));
    const told = { verdict: 'inconclusive', pass: false, closed: false, canary: { revision: 'canary', track: 'canary' }, scope: { target: null, namespace: 'shop', queue: 'ship' } };
    expect(await gates('all')).toMatchObject([told]);
    expect(await gates('shop')).toMatchObject([told]);
    expect(await gates('all', '?namespace=default')).toEqual([]);
  });

  it('keeps samples for a day', async () => {
    await database.query(`INSERT INTO jobwarden.queue_samples SELECT (jobwarden.lane_now() / 60000)::integer - 1500, 0, 0, 0, 0, 0`);
    await new PgHousekeeping(database).run({ ...HOUSEKEEPING_AGES, retentionMs: 365 * 86_400_000 });
    const left = await database.query<{ old: boolean }>(`SELECT minute < jobwarden.lane_now() / 60000 - 1440 AS old FROM jobwarden.queue_samples`);
    expect(left.length).toBeGreaterThan(0);
    expect(left.filter(({ old }) => old)).toEqual([]);
  });

  it('is told, as it changes, to whom it concerns, whichever replica has written it', async () => {
    const [all, shop] = await Promise.all(['all', 'shop'].map((token) => EventReader.open(`${service.url}/v1/streams/changes`, of(token))));
    const notes = (reader: EventReader | undefined) =>
      (reader?.events ?? []).filter(({ event: type }) => type === 'changes').flatMap(({ data }) => data as unknown as readonly { readonly what: string; readonly [member: string]: unknown }[]);
    await waitUntil('both streams stand', () => [all, shop].every((reader) => reader?.events[0]?.event === 'alive'));
    await send(event('queued', 'seen', { queue: 'mail' }), { ...event('queued', 'seen-too', { queue: 'mail' }), namespace: 'shop' });
    await waitUntil('notes', () => notes(shop).length > 0 && notes(all).some(({ id }) => id === 'seen'));
    expect(notes(all)).toEqual(expect.arrayContaining([{ what: 'job', namespace: 'default', queue: 'mail', id: 'seen' }, { what: 'queue', namespace: 'shop', queue: 'mail' }]));
    expect(notes(shop).filter(({ namespace }) => namespace === 'default')).toEqual([]);
    await service.call('PUT', '/v1/actions', { body: { enabled: false, reason: 'test' }, headers: of('all') });
    await waitUntil('the switch', () => notes(shop).some(({ what }) => what === 'installation'));
    await service.call('PUT', '/v1/actions', { body: { enabled: true, reason: 'test' }, headers: of('all') });
    const told = () => ['signal', 'maintenance', 'revision'].map((kind) => notes(shop).filter(({ what }) => what === kind).length);
    const call = async (method: string, path: string, body?: object) => (await service.call(method, path, { ...(body !== undefined && { body }), headers: of('all') })).body;
    const tells = async (...calls: readonly Promise<unknown>[]) => {
      const before = told();
      await Promise.all(calls);
      await waitUntil('all three are told', () => told().every((many, at) => many > (before[at] ?? 0)));
    };
    const alert = (status: string) => call('POST', '/v1/alerts', { version: '4', alerts: [{ status, labels: { action: 'trigger-rollback', queue: 'nobody' }, annotations: {}, startsAt: '2026-01-31T12:00:00Z', fingerprint: 'f' }] });
    const release = { namespace: 'shop', revision: 'v7', reason: 'it leaks' };
    const window = call('POST', '/v1/maintenance', { everywhere: true, for: '1h', reason: 'moving' });
    await tells(window, alert('firing'), call('POST', '/v1/revisions/refuse', { ...release, force: true }));
    await tells(call('DELETE', `/v1/maintenance/${(await window)['id']}`), alert('resolved'), call('POST', '/v1/revisions/readmit', release));
    for (const reader of [all, shop]) reader?.close();
  });

  it('is told in few words when very much happens, and the last of it too', async () => {
    const changes = new Changes(new PgChangeStore(database), { everyMs: 20 });
    const end = new AbortController();
    const items: StreamItem[] = [];
    const reading = (async () => {
      for await (const item of changes.subscribe('all', end.signal)) items.push(item);
    })();
    await waitUntil('the stream stands', () => items.length > 0);
    await send(...Array.from({ length: 900 }, (_, i) => event('queued', `many-${String(i)}`, { queue: `queue-${String(i % 200)}` })));
    const told = () => items.flatMap((item) => ('data' in item && item.event === 'changes' ? (JSON.parse(item.data) as object[]) : []));
    await waitUntil('it is told', () => told().some((note) => JSON.stringify(note) === '{"what":"job"}'));
    expect(Math.max(...items.map((item) => ('data' in item ? item.data.length : 0)))).toBeLessThan(10_000);
    await send(event('queued', 'the-last', { queue: 'mail' }));
    await waitUntil('the last is told', () => told().some((note) => 'id' in note && note.id === 'the-last'));
    end.abort();
    await reading;
  });
});
