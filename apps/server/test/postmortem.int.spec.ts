import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents } from '#libs/application';
import { POSTMORTEM_ITEMS } from '#libs/domain';
import { Database, PgIncidentStore, PgPostmortemStore, QueueIds } from '#libs/postgres';
import { useTestDatabase } from '#libs/testing';
import { TestService, type Answer } from './service.fixture.js';

const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const token = (name: string, scopes: string, namespaces: string) => `  - {name: ${name}, hash: ${hash(name)}, scopes: [${scopes}], namespaces: [${namespaces}]}`;
const HOSTILE = 'cannot <img src=x onerror=alert(1)> [click](https://evil.example)';

interface Item {
  readonly item: string;
  readonly answeredBy: string;
  readonly data: { readonly figures: Readonly<Record<string, unknown>> } | null;
}

describe('postmortems over REST', () => {
  const database = useTestDatabase();
  let service: TestService;
  let pool: Database;
  let incidents: Incidents;

  beforeAll(async () => {
    const tokens = ['tokens:', token('ada', 'read, operate, emit', '"*"'), token('eve', 'read, operate', 'acme'), token('reader', 'read', '"*"')];
    service = await TestService.start(database.url, tokens.join('\n'));
    pool = new Database({ url: database.url, poolSize: 2, role: 'jobwarden_app' });
    incidents = new Incidents(new PgIncidentStore(pool, new QueueIds(pool)));
  });
  afterAll(async () => {
    await pool.close();
    await service.stop();
  });

  const as = (name: string, method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> =>
    service.call(method, path, { ...(body !== undefined && { body }), headers: { authorization: `Bearer ${name}`, ...headers } });

  async function failing(queue: string): Promise<void> {
    const event = (type: string, n: number, data: object) => ({
      specversion: '1.0', id: `${type}-${String(n)}`, source: '/test', subject: `job-${String(n)}`, type: `jobwarden.job.${type}.v1`, data: { queue, ...data },
    });
    const worker = { id: 'w1', revision: 'v2' };
    const events = [1, 2, 3, 4].flatMap((n) => [
      event('queued', n, {}),
      event('started', n, { worker }),
      n === 4 ? event('succeeded', n, { worker }) : event('failed', n, { worker, retryable: false, error: { class: 'TypeError', message: HOSTILE } }),
    ]);
    expect((await as('ada', 'POST', '/v1/events', events)).status).toBe(200);
  }

  async function opened(queue: string, target: string): Promise<string> {
    const about = { namespace: 'default', queue };
    return (await incidents.open('saturation', about, { reason: `${queue}: ${HOSTILE}`, evidence: { target } })).incident.id;
  }

  const path = (id: string, rest = '') => `/v1/incidents/${id}/postmortem${rest}`;
  const items = (answer: Answer): readonly Item[] => (answer.body as unknown as { checklists: { items: Item[] }[] }).checklists.flatMap((list) => list.items);

  it('are answered by the figures of the incident’s queue, by people, and signed once, when nothing is missing', async () => {
    await failing('emails');
    const id = await opened('emails', 'shop/mailer');
    const first = await as('reader', 'GET', path(id));
    expect(first).toMatchObject({ status: 200, body: { open: true, queue: 'emails', times: { resolvedAt: null }, jobs: { byStatus: { failed: 3 } } } });
    const figures = items(first).find(({ item }) => item === 'latency-depth-retries')?.data?.figures;
    expect(figures).toMatchObject({ failedDuring: '75.0 %' });
    expect(await as('ada', 'POST', path(id, '/sign'))).toMatchObject({ status: 409, body: { code: 'postmortem_incomplete', missing: expect.arrayContaining(['resolved', 'response-plan']) as unknown } });

    const open = items(first).filter(({ answeredBy }) => answeredBy === 'open').map(({ item }) => item);
    expect(open.length).toBeGreaterThan(4);
    for (const item of open) expect((await as('ada', 'PUT', path(id, `/items/${item}`), { answer: 'no' })).status).toBe(200);
    const again = await as('ada', 'PUT', path(id, '/items/response-plan'), { answer: ' yes, <b>now</b> ' });
    expect(items(again).find(({ item }) => item === 'response-plan')).toMatchObject({ answeredBy: 'person', person: { answer: 'yes, <b>now</b>', by: 'ada' } });
    const kept = await pool.query<{ answer: string; answered_by: string }>(`SELECT answer, answered_by FROM jobwarden.postmortem_answers WHERE incident_id = $1 AND item = 'response-plan' ORDER BY answer_id`, [Number(id)]);
    expect(kept).toEqual([{ answer: 'no', answered_by: 'ada' }, { answer: 'yes, <b>now</b>', answered_by: 'ada' }]);

    const store = new PgPostmortemStore(pool);
    expect(await store.unsignedOf('shop/mailer')).toEqual([id]);
    await incidents.open('saturation', 'drill/1', { reason: 'DRILL', evidence: { target: 'shop/mailer', drill: true } });
    expect(await store.unsignedOf('shop/mailer')).toEqual([id]);
    await incidents.resolveById(id, { reason: 'all work again' });
    const both = await Promise.all([as('ada', 'POST', path(id, '/sign'), { note: 'seen' }), as('ada', 'POST', path(id, '/sign'))]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await as('ada', 'PUT', path(id, '/items/timeouts'), { answer: 'later' })).toMatchObject({ status: 409, body: { code: 'postmortem_signed' } });
    expect(await as('reader', 'GET', path(id))).toMatchObject({ body: { open: false, missing: [], signature: { by: 'ada' } } });
    expect(await store.unsignedOf('shop/mailer')).toEqual([]);
  });

  it('are a page of Markdown where that is asked for, in which nothing from outside does anything', async () => {
    const id = await opened('pages', 'shop/pages');
    for (const answer of [await as('reader', 'GET', path(id), undefined, { accept: 'text/markdown' }), await as('reader', 'GET', path(id, '?format=markdown'))]) {
      expect([answer.headers.get('content-type'), answer.headers.get('x-content-type-options')]).toEqual(['text/markdown; charset=utf-8', 'nosniff']);
      expect(answer.text).toMatch(/^# Incident \d+: saturation of default\/pages/u);
      expect(answer.text).toContain('&lt;img src=x onerror=alert(1)&gt; \\[click\\](https&#58;//evil.example)');
      expect(answer.text).not.toMatch(/<img|https:\/\//u);
    }
    expect((await as('reader', 'GET', path(id, '?format=json'), undefined, { accept: 'text/markdown' })).body).toMatchObject({ incidentId: id });
  });

  it('leave follow-ups that are listed until they are done, by whom and when', async () => {
    const id = await opened('followed', 'shop/followed');
    const added = await as('ada', 'POST', path(id, '/follow-ups'), { text: 'a timeout for the parser', owner: 'ben' });
    expect(added).toMatchObject({ status: 201, body: { kind: 'task', owner: 'ben', addedBy: 'ada', done: null } });
    await as('ada', 'POST', path(id, '/follow-ups'), { text: 'a canary first', kind: 'lesson' });
    const open = async (query = '') => ((await as('reader', 'GET', `/v1/follow-ups${query}`)).body.items as unknown as { text: string }[]).map(({ text }) => text);
    expect(await open()).toEqual(['a timeout for the parser', 'a canary first']);
    const done = await as('ada', 'POST', `/v1/follow-ups/${String(added.body['followUpId'])}/done`, { note: 'five seconds' });
    expect(done.body).toMatchObject({ done: { by: 'ada', note: 'five seconds' } });
    expect((await as('ada', 'POST', `/v1/follow-ups/${String(added.body['followUpId'])}/done`, { note: 'again' })).body).toEqual(done.body);
    expect([await open(), await open('?done=true')]).toEqual([['a canary first'], ['a timeout for the parser']]);
    expect(await as('reader', 'GET', path(id))).toMatchObject({ body: { followUps: [{ done: { by: 'ada' } }, { done: null }] } });
  });

  it('show a hundred follow-ups at most, and how many more there are, which the list gives by pages', async () => {
    const id = await opened('long', 'shop/long');
    await pool.query(`INSERT INTO jobwarden.follow_ups (incident_id, namespace, kind, what, added_by, added_ms) SELECT $1, 'default', 'task', 'n' || n, 'ada', n FROM generate_series(1, 103) AS n`, [Number(id)]);
    const { body } = await as('reader', 'GET', path(id));
    const shown = body['followUps'] as { text: string }[];
    expect([shown.length, shown[0]?.text, body['moreFollowUps']]).toEqual([100, 'n1', 3]);
    const list = async (of: string) => (await as('reader', 'GET', `/v1/follow-ups?incident=${of}&limit=1000`)).body.items;
    expect([(await list(id)).length, (await list('999999')).length]).toEqual([103, 0]);
  });

  it('are nobody’s business who may not see the incident, nor to be answered by who may only read', async () => {
    const id = await opened('private', 'shop/private');
    const { body } = await as('ada', 'POST', path(id, '/follow-ups'), { text: 'hidden' });
    expect((await as('eve', 'GET', path(id))).status).toBe(404);
    expect((await as('eve', 'PUT', path(id, '/items/timeouts'), { answer: 'x' })).status).toBe(404);
    expect((await as('eve', 'POST', `/v1/follow-ups/${String(body['followUpId'])}/done`)).status).toBe(404);
    expect((await as('eve', 'GET', '/v1/follow-ups')).body.items).toEqual([]);
    expect((await as('reader', 'PUT', path(id, '/items/timeouts'), { answer: 'x' })).status).toBe(403);
    expect((await as('ada', 'PUT', path(id, '/items/nothing'), { answer: 'x' })).body.code).toBe('item_unknown');
    expect((await as('ada', 'PUT', path(id, '/items/timeouts'), { answer: '  ' })).status).toBe(400);
    expect((await as('ada', 'GET', path('99999999'))).body.code).toBe('incident_unknown');
    expect(POSTMORTEM_ITEMS).toContain('timeouts');
  });
});
