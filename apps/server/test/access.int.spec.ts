import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { event, TestService, type Answer } from './service.fixture.js';

const SCOPES = ['emit', 'read', 'operate', 'admin'] as const;
const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const token = (name: string, scopes: string, namespaces: string) =>
  `  - {name: ${name}, hash: ${hash(name)}, scopes: [${scopes}], namespaces: [${namespaces}]}`;
const POLICY = [
  'tokens:',
  ...SCOPES.map((scope) => token(scope, scope, '"*"')),
  token('acme', 'emit, read, operate, admin', 'acme'),
].join('\n');

/** One call per scope and kind of route; what each needs. */
const ROUTES: readonly (readonly [method: string, path: string, needs: string | null, body?: object])[] = [
  ['GET', '/healthz', null],
  ['GET', '/readyz', null],
  ['GET', '/openapi.json', null],
  ['GET', '/metrics', 'read'],
  ['POST', '/v1/events', 'emit', []],
  ['GET', '/v1/jobs', 'read'],
  ['GET', '/v1/jobs/one?queue=q&id=i', 'read'],
  ['GET', '/v1/queues', 'read'],
  ['GET', '/v1/workers', 'read'],
  ['GET', '/v1/lanes', 'read'],
  ['POST', '/v1/lanes/seek', 'operate'],
  ['POST', '/v1/lanes/retire', 'operate'],
  ['POST', '/v1/lanes/unretire', 'operate'],
  ['GET', '/v1/reconciliations', 'read'],
  ['GET', '/v1/verdicts', 'read'],
  ['GET', '/v1/dead-letters', 'read'],
  ['GET', '/v1/quarantine', 'read'],
  ['GET', '/v1/invalidations', 'read'],
  ['GET', '/v1/parked', 'read'],
  ['GET', '/v1/jobs/one/notices?queue=q&id=1', 'read'],
  ['GET', '/v1/policies', 'read'],
  ['GET', '/v1/evidence?incident=1', 'read'],
  ['POST', '/v1/evidence/1/report', 'emit'],
  ['POST', '/v1/evidence/1/done', 'emit'],
  ['GET', '/v1/evidence/1/report', 'admin'],
  ['DELETE', '/v1/evidence/1', 'admin'],
  ['GET', '/v1/revisions', 'read'],
  ['GET', '/v1/revisions/refusals', 'read'],
  ['POST', '/v1/revisions/refuse', 'operate'],
  ['POST', '/v1/revisions/readmit', 'operate'],
  ['GET', '/v1/incidents', 'read'],
  ['GET', '/v1/incidents/1', 'read'],
  ['GET', '/v1/streams/nothing', 'read'],
  ['POST', '/v1/queues/q/jobs/i/cancel', 'operate', { reason: 'r' }],
  ['POST', '/v1/reconciliations', 'operate', { dryRun: true }],
  ['PUT', '/v1/queues/q/levels', 'operate', { action: 'retry', level: 'observe', reason: 'r' }],
  ['POST', '/v1/quarantine/1/dismiss', 'operate', { reason: 'r' }],
  ['POST', '/v1/parked/1/retry', 'operate'],
  ['POST', '/v1/incidents/1/resolve', 'operate', { reason: 'r' }],
  ['POST', '/v1/alerts', 'operate', { version: '4', alerts: [] }],
  ['GET', '/v1/signals', 'read'],
  ['GET', '/v1/maintenance', 'read'],
  ['POST', '/v1/maintenance', 'operate', { everywhere: true, for: '1s', reason: 'r' }],
  ['DELETE', '/v1/maintenance/1', 'operate'],
  ['PUT', '/v1/actions', 'admin', { enabled: true, reason: 'r' }],
  ['PUT', '/v1/clock', 'admin', { now: '2030-01-01T00:00:00Z' }],
];

describe('access with tokens', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(() => service.stop());

  const as = (name: string | null, method: string, path: string, body?: object): Promise<Answer> =>
    service.call(method, path, {
      ...(body !== undefined && { body }),
      headers: name === null ? {} : { authorization: `Bearer ${name}` },
    });

  it('lets each scope do what it is for, admin all, and nobody anything without', async () => {
    for (const [method, path, needs, body] of ROUTES) {
      const nobody = await as(null, method, path, body);
      expect(nobody.status === 401, `nobody ${method} ${path}: ${String(nobody.status)}`).toBe(needs !== null);
      for (const scope of SCOPES) {
        const { status } = await as(scope, method, path, body);
        const allowed = needs === null || needs === scope || scope === 'admin';
        expect(status === 403, `${scope} ${method} ${path}: ${String(status)}`).toBe(!allowed);
        expect(status, `${scope} ${method} ${path}`).not.toBe(401);
      }
    }
  });

  it('refuses what is no token, and says how to send one', async () => {
    const none = await service.get('/v1/jobs');
    expect(none).toMatchObject({ status: 401, body: { code: 'token_required' } });
    expect(none.headers.get('www-authenticate')).toContain('Bearer');
    for (const wrong of ['Bearer nope', 'Bearer', 'Basic cmVhZA==', `Bearer ${hash('read')}`]) {
      expect((await service.get('/v1/jobs', { authorization: wrong })).status, wrong).toBe(401);
    }
  });

  it('lets nobody keep an answer, nor take it for something else than it says', async () => {
    for (const path of ['/v1/me', '/v1/overview', '/v1/dead-letters/patterns', '/v1/incidents', '/v1/incidents/1', '/metrics', '/v1/nothing']) {
      for (const name of ['admin', null]) {
        const { headers } = await as(name, 'GET', path);
        expect([headers.get('cache-control'), headers.get('x-content-type-options')], `${String(name)} ${path}`).toEqual(['no-store', 'nosniff']);
      }
    }
  });

  it('binds a token to its namespaces: elsewhere nothing is there', async () => {
    await as('admin', 'POST', '/v1/events', [
      event('queued', 'theirs'),
      event('queued', 'ours', {}, { namespace: 'acme' }),
    ]);
    expect((await as('acme', 'GET', '/v1/queues/emails/jobs/ours?namespace=acme')).body).toMatchObject({
      namespace: 'acme',
      id: 'ours',
    });
    for (const path of [
      '/v1/jobs',
      '/v1/queues/emails/jobs/theirs',
      '/v1/queues',
      '/v1/streams/commands',
      '/v1/workers?namespace=default',
    ]) {
      expect(await as('acme', 'GET', path), path).toMatchObject({ status: 404, body: { code: 'namespace_unknown' } });
    }
    const cancel = await as('acme', 'POST', '/v1/queues/emails/jobs/theirs/cancel', { reason: 'r' });
    expect(cancel.status).toBe(404);
    expect((await as('read', 'GET', '/v1/queues/emails/jobs/theirs')).body.status).toBe('queued');
    const single = await as('acme', 'POST', '/v1/events', event('started', 'theirs', { worker: { id: 'w' } }));
    expect(single).toMatchObject({ status: 404, body: { code: 'namespace_unknown' } });
    const batch = await as('acme', 'POST', '/v1/events', [
      event('queued', 'x'),
      event('queued', 'y', {}, { namespace: 'acme' }),
    ]);
    expect(batch.body.results.map((r) => r.outcome)).toEqual(['refused', 'appended']);
    expect(await as('acme', 'PUT', '/v1/actions', { enabled: false, reason: 'r' })).toMatchObject({
      status: 403,
      body: { code: 'namespace_bound' },
    });
    const policies = await as('acme', 'GET', '/v1/policies');
    expect(policies.body.items.every((p) => p.namespace === null || p.namespace === 'acme')).toBe(true);
  });

  it('shows a bound token only the quarantine of its namespaces', async () => {
    const broken = (namespace: string) => ({
      specversion: '1.0',
      id: 'b',
      source: '/t',
      subject: 'j',
      type: 'jobwarden.job.nonsense.v1',
      namespace,
      data: { queue: 'emails' },
    });
    await as('admin', 'POST', '/v1/events', [broken('acme'), broken('default')]);
    await as('admin', 'POST', '/v1/events', event('queued', 'z'));
    const all = await as('read', 'GET', '/v1/quarantine');
    const entries = all.body.items;
    expect(entries.map((e) => e.namespace).sort()).toEqual(['acme', 'default']);
    const own = (await as('acme', 'GET', '/v1/quarantine')).body.items;
    expect(own.map((e) => e.namespace)).toEqual(['acme']);
    const foreign = entries.find((e) => e.namespace === 'default')?.entryId ?? '';
    expect((await as('acme', 'GET', `/v1/quarantine/${foreign}`)).status).toBe(404);
    expect((await as('acme', 'POST', `/v1/quarantine/${foreign}/dismiss`, { reason: 'r' })).status).toBe(404);
    expect((await as('acme', 'GET', `/v1/quarantine/${own[0]?.entryId ?? ''}`)).status).toBe(200);
  });

  it('names the token as the author of what it decides', async () => {
    await as('admin', 'POST', '/v1/events', [event('queued', 'authored')]);
    await as('operate', 'POST', '/v1/queues/emails/jobs/authored/cancel', { reason: 'r' });
    const one = await as('read', 'GET', '/v1/queues/emails/jobs/authored');
    expect(one.body.decisions[0]?.by).toBe('operate');
  });
});

describe('access without tokens', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url);
  });
  afterAll(() => service.stop());

  /** fetch writes its own Host, so this goes by hand. */
  const withHeaders = (
    path: string,
    headers: Record<string, string>,
    method = 'GET',
  ): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const sent = request(new URL(path, service.url), { method, headers }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += String(chunk)));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      });
      sent.on('error', reject).end();
    });

  it('answers programs of this machine under each of its names', async () => {
    for (const host of ['127.0.0.1:7411', 'localhost', 'LOCALHOST:80', '[::1]:7411', '127.1.2.3']) {
      expect((await withHeaders('/v1/jobs', { host })).status, host).toBe(200);
    }
  });

  it('refuses a name that somebody else lets point here (DNS rebinding)', async () => {
    for (const host of [
      'evil.example',
      'evil.example:7411',
      'localhost.evil.example',
      '10.0.0.1',
      '127.0.0.1.evil.example',
    ]) {
      const { status, body } = await withHeaders('/v1/jobs', { host });
      expect(status, host).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ code: 'host_refused' });
    }
    expect((await withHeaders('/healthz', { host: 'evil.example' })).status).toBe(200);
  });

  it('refuses pages of other sites and of other ports, and serves its own', async () => {
    const host = new URL(service.url).host;
    for (const origin of ['http://evil.example', 'http://localhost:3000', 'null', 'file://']) {
      const { status, body } = await withHeaders('/v1/actions', { host, origin }, 'GET');
      expect(status, origin).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ code: 'origin_refused' });
    }
    expect((await withHeaders('/v1/jobs', { host, origin: `http://${host}` })).status).toBe(200);
    expect(
      (await withHeaders('/v1/jobs', { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).status,
    ).toBe(403);
    expect(
      (await withHeaders('/v1/jobs', { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status,
    ).toBe(200);
  });
});
