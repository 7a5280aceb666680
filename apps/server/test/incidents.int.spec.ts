import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents } from '#libs/application';
import { Database, PgIncidentStore, QueueIds } from '#libs/postgres';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { asOwner, TestService, type Answer } from './service.fixture.js';
import { EventReader } from './sse.fixture.js';

const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const token = (name: string, namespaces: string) =>
  `  - {name: ${name}, hash: ${hash(name)}, scopes: [read, operate, admin], namespaces: [${namespaces}]}`;
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const KIND = 'lane_out_of_range';

interface Hook {
  readonly type: string;
  readonly data: { readonly subject: string };
}

describe('incidents over REST', () => {
  const database = useTestDatabase();
  const hooks: Hook[] = [];
  const pager = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      hooks.push(JSON.parse(body) as Hook);
      response.writeHead(204).end();
    });
  });
  let service: TestService;
  let pool: Database;
  /** As another replica would open them. */
  let incidents: Incidents;

  beforeAll(async () => {
    await new Promise<void>((resolve) => pager.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((pager.address() as AddressInfo).port)}/`;
    const webhooks = `webhooks:\n  - {url: "${url}", secret: "${SECRET}", events: [incidents]}`;
    const tokens = ['tokens:', token('all', '"*"'), token('acme', 'acme')].join('\n');
    service = await TestService.start(database.url, `${webhooks}\n${tokens}`);
    pool = new Database({ url: database.url, poolSize: 2, role: 'jobwarden_app' });
    incidents = new Incidents(new PgIncidentStore(pool, new QueueIds(pool)));
  });
  afterAll(async () => {
    await pool.close();
    await service.stop();
    await new Promise((resolve) => pager.close(resolve));
  });

  const as = (name: string, method: string, path: string, body?: object): Promise<Answer> =>
    service.call(method, path, { ...(body !== undefined && { body }), headers: { authorization: `Bearer ${name}` } });
  const open = async (about: Parameters<Incidents['open']>[1], reason = 'out of range') =>
    (await incidents.open(KIND, about, { reason, evidence: { wanted: 7, low: 9 } })).incident.id;

  it('are listed, shown with their steps, and resolved with a reason and an author', async () => {
    const id = await open('lane-1');
    const list = await as('all', 'GET', `/v1/incidents?status=open&kind=${KIND}`);
    expect(list.body.items).toMatchObject([
      { incidentId: id, kind: KIND, subject: 'lane-1', summary: 'out of range', namespace: null, queue: null },
    ]);
    const one = await as('all', 'GET', `/v1/incidents/${id}`);
    expect(one.body).toMatchObject({
      status: 'open',
      resolvedAt: null,
      steps: [{ n: 1, type: 'opened', by: 'jobwarden', evidence: { wanted: 7, low: 9 } }],
    });
    const resolved = await as('all', 'POST', `/v1/incidents/${id}/resolve`, { reason: ' replayed ' });
    expect(resolved).toMatchObject({ status: 200, body: { status: 'resolved' } });
    expect(resolved.body['steps']).toMatchObject([{ n: 1 }, { n: 2, type: 'resolved', by: 'all', reason: 'replayed' }]);
    expect((await as('all', 'GET', '/v1/incidents?status=open')).body.items).toEqual([]);
    expect((await as('all', 'GET', '/v1/incidents?kind=nothing')).body.items).toEqual([]);
  });

  it('answer 409 with how it stands where one is resolved, and 404 where there is none', async () => {
    const id = await open('lane-2');
    const resolve = (of: string, reason = 'r') => as('all', 'POST', `/v1/incidents/${of}/resolve`, { reason });
    expect((await resolve(id, '  ')).body.code).toBe('reason_required');
    expect((await as('all', 'POST', `/v1/incidents/${id}/resolve`, {})).status).toBe(400);
    expect((await resolve(id)).status).toBe(200);
    expect(await resolve(id)).toMatchObject({ status: 409, body: { code: 'incident_resolved', status: 409, state: 'resolved' } });
    for (const none of ['999999', 'x', '-1', '9'.repeat(30)]) {
      expect(await resolve(none), none).toMatchObject({ status: 404, body: { code: 'incident_unknown' } });
    }
    const again = await open('lane-2');
    expect(again).not.toBe(id);
  });

  it('come in pages that miss and repeat none while others are opened', async () => {
    const wanted = [];
    for (let i = 0; i < 7; i += 1) wanted.unshift(await open(`page-${String(i)}`));
    const seen: unknown[] = [];
    let next: string | null = null;
    do {
      const page: Answer = await as('all', 'GET', `/v1/incidents?limit=3${next === null ? '' : `&next=${next}`}`);
      seen.push(...page.body.items.map((i) => i['incidentId']));
      next = page.body.next;
      await open(`meanwhile-${String(seen.length)}`);
    } while (next !== null);
    expect(seen.slice(0, 7)).toEqual(wanted);
    expect(new Set(seen).size).toBe(seen.length);
    const other = await as('all', 'GET', '/v1/incidents?limit=1');
    const wrong = await as('all', 'GET', `/v1/incidents?limit=1&status=open&next=${other.body.next ?? ''}`);
    expect(wrong.body.code).toBe('cursor_invalid');
  });

  it('of the whole installation are not there for a token that is bound to namespaces', async () => {
    const whole = await open('lane-3');
    const ours = await open({ namespace: 'acme', queue: 'mail' });
    const theirs = await open({ namespace: 'default', queue: 'mail' });
    const ids = async (name: string, query = '') =>
      (await as(name, 'GET', `/v1/incidents${query}`)).body.items.map((i) => i['incidentId']);
    expect(await ids('acme')).toEqual([ours]);
    expect(await ids('all', '?namespace=acme')).toEqual([ours]);
    expect(await ids('all', '?queue=mail')).toEqual([theirs, ours]);
    expect(await ids('all')).toEqual(expect.arrayContaining([whole, ours, theirs]));
    expect((await as('acme', 'GET', '/v1/incidents?namespace=default')).body.code).toBe('namespace_unknown');
    for (const id of [whole, theirs]) {
      expect((await as('acme', 'GET', `/v1/incidents/${id}`)).status).toBe(404);
      expect((await as('acme', 'POST', `/v1/incidents/${id}/resolve`, { reason: 'r' })).status).toBe(404);
    }
    expect((await as('acme', 'POST', `/v1/incidents/${ours}/resolve`, { reason: 'r' })).status).toBe(200);
  });

  it('are streamed and sent to webhooks, also while the stop switch is off', async () => {
    await as('all', 'PUT', '/v1/actions', { enabled: false, reason: 'looking into it' });
    const all = await EventReader.open(`${service.url}/v1/streams/incidents`, { authorization: 'Bearer all' });
    const acme = await EventReader.open(`${service.url}/v1/streams/incidents?namespace=acme`, {
      authorization: 'Bearer acme',
    });
    const id = await open('while-off');
    await open({ namespace: 'acme', queue: 'while-off' });
    await as('all', 'POST', `/v1/incidents/${id}/resolve`, { reason: 'r' });
    const ofThis = (reader: EventReader) => reader.events.filter((e) => e.data.data['subject'] === 'while-off');
    await waitUntil('both steps came', () => ofThis(all).length === 2);
    await waitUntil('that of its namespace came', () => ofThis(acme).length === 1);
    expect(ofThis(all).map((e) => e.event)).toEqual(['jobwarden.incident.opened.v1', 'jobwarden.incident.resolved.v1']);
    const namespaces = acme.events.map((e) => (e.data as { readonly namespace?: string }).namespace);
    expect(namespaces.filter((namespace) => namespace !== 'acme')).toEqual([]);
    const told = () => hooks.filter((h) => h.data.subject === 'while-off').map((h) => h.type);
    await waitUntil('the pager has all three', () => told().length === 3);
    for (const reader of [all, acme]) reader.close();
    await as('all', 'PUT', '/v1/actions', { enabled: true, reason: 'seen' });
  });

  it('of a lane follow what an operator does with it', async () => {
    const lane = 'kafka/events/0';
    await asOwner(
      database.url,
      `INSERT INTO jobwarden.lanes (lane, name, next, stopped) VALUES (9, $1, 7, 'out of range')`,
      [lane],
    );
    const id = await open(lane);
    const call = { lane, reason: 'the topic is gone', force: true };
    expect((await as('all', 'POST', '/v1/lanes/retire', call)).status).toBe(200);
    const one = await as('all', 'GET', `/v1/incidents/${id}`);
    expect(one.body['steps']).toMatchObject([{ n: 1 }, { type: 'resolved', by: 'all', reason: 'the topic is gone' }]);
    expect((await as('all', 'POST', '/v1/lanes/unretire', call)).status).toBe(200);
    const list = await as('all', 'GET', '/v1/incidents?status=open&limit=1');
    expect(list.body.items).toMatchObject([{ subject: lane, summary: 'out of range' }]);
    await asOwner(database.url, 'DELETE FROM jobwarden.lanes WHERE lane = 9');
  });

  it('are counted by kind, also those that are not there', async () => {
    await open('counted');
    const metrics = (await as('all', 'GET', '/metrics')).text;
    const [, open_] = /^jobwarden_incidents_open\{kind="lane_out_of_range"\} (\d+)$/m.exec(metrics) ?? [];
    const list = await as('all', 'GET', `/v1/incidents?status=open&kind=${KIND}&limit=1000`);
    expect(Number(open_)).toBe(list.body.items.length);
    expect(metrics).toMatch(/^jobwarden_incidents_open\{kind="wrong_act"\} 0$/m);
  });
});
