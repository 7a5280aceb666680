import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents } from '#libs/application';
import { Database, PgIncidentStore, QueueIds } from '#libs/postgres';
import { useTestDatabase } from '#libs/testing';
import { clockAt, during } from './gate-traffic.fixture.js';
import { asOwner, TestService } from './service.fixture.js';

const T0 = 1_700_000_100_000;
const token = (name: string, scopes: string, namespaces: string) =>
  `  - {name: ${name}, hash: ${createHash('sha256').update(name).digest('hex')}, scopes: [${scopes}], namespaces: [${namespaces}]}`;
const POLICY = [
  'queues:',
  '  mail: {rollback: {target: shop/mailer}}',
  'namespaces:',
  '  acme: {queues: {mail: {rollback: {target: shop/mailer}}}}',
  'tokens:',
  token('admin', 'admin, read, emit, operate', '"*"'),
  token('flagger', 'read', 'default'),
  token('eve', 'read, operate', 'acme'),
].join('\n');

describe('the canary gate and tokens that are bound to namespaces, on a manual clock', () => {
  const database = useTestDatabase();
  let service: TestService;
  let pool: Database;

  const as = (name: string, method: string, path: string, body?: object) =>
    service.call(method, path, { headers: { authorization: `Bearer ${name}` }, ...(body !== undefined && { body }) });
  const hook = (name: string, body: object) => as(name, 'POST', '/v1/gates/canary/flagger/confirm-rollout', { namespace: 'shop', name: 'mailer', checksum: 'c1', ...body });
  const rollouts = async () => await asOwner(database.url, 'SELECT began_ms FROM jobwarden.gate_rollouts ORDER BY began_ms');

  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await TestService.start(database.url, POLICY);
    pool = new Database({ url: database.url, poolSize: 2, role: 'jobwarden_app' });
    const traffic = [{ queue: 'mail', revision: '1.0', track: 'stable', jobs: 1 }];
    const headers = { authorization: 'Bearer admin' };
    await during(service, { fromMs: T0, count: 1, traffic, headers });
    await asOwner(database.url, `INSERT INTO jobwarden.queues (namespace, queue) VALUES ('acme', 'mail')`);
    await clockAt(service, T0 + 60_000, headers);
  });
  afterAll(async () => {
    await pool.close();
    await service.stop();
  });

  it('one of another namespace moves no rollout that it does not see, and leaves no row for what nobody knows', async () => {
    await hook('flagger', { metadata: { queue: 'mail' } });
    const [before] = await rollouts();
    await clockAt(service, T0 + 120_000, { authorization: 'Bearer admin' });
    expect((await hook('eve', { metadata: { target: 'nobody' } })).status).toBe(403);
    expect((await hook('eve', { metadata: { queue: 'nobody', namespace: 'acme' } })).status).toBe(403);
    expect(await rollouts()).toEqual([before]);
    await hook('eve', { metadata: { queue: 'mail', namespace: 'acme' } });
    await hook('eve', { metadata: { target: 'shop/mailer' } });
    expect((await rollouts())[0]).toEqual(before);
  });

  it('is closed to one of another namespace too, and does not say by which incident, by whom it was opened, or why', async () => {
    const incidents = new Incidents(new PgIncidentStore(pool, new QueueIds(pool)));
    const { incident } = await incidents.open('saturation', { namespace: 'default', queue: 'mail' }, { reason: 'saturated', evidence: { target: 'shop/mailer' } });
    const ask = async (name: string, query: string) => (await as(name, 'GET', `/v1/gates/canary?form=argo&${query}`)).body;
    expect(await ask('flagger', 'queue=mail')).toMatchObject({ closed: [{ code: 'postmortem_open', incidentIds: [incident.id] }] });
    expect(await ask('eve', 'queue=mail&namespace=acme')).toMatchObject({ closed: [{ code: 'postmortem_open', incidentIds: [] }] });
    expect(await ask('eve', 'target=shop/mailer')).toMatchObject({ closed: [{ code: 'postmortem_open', incidentIds: [] }] });
    expect(await hook('eve', { metadata: { target: 'shop/mailer' } })).toMatchObject({ body: { says: expect.not.stringContaining('incidents') as string } });

    const until = new Date(T0 + 300_000).toISOString();
    await as('admin', 'POST', '/v1/gates/canary/override', { target: 'shop/mailer', reason: 'secret of shop', until });
    expect(await ask('flagger', 'queue=mail')).toMatchObject({ closed: [], override: null });
    expect(await ask('admin', 'queue=mail')).toMatchObject({ closed: [], override: { reason: 'secret of shop' } });
    expect(await ask('eve', 'queue=mail&namespace=acme')).toMatchObject({ closed: [], override: null });
  });

  it.each([
    ['a name that no index takes', { name: randomBytes(4_000).toString('hex'), metadata: { queue: 'mail' } }],
    ['a namespace that no index takes', { namespace: randomBytes(4_000).toString('hex'), metadata: { queue: 'mail' } }],
    ['a NUL character', { checksum: '\0', metadata: { queue: 'mail' } }],
    ['no text for a name', { name: 7, metadata: { queue: 'mail' } }],
    ['a list for metadata', { metadata: ['queue', 'mail'] }],
    ['no metadata', { metadata: null }],
    ['two scopes', { metadata: { queue: 'mail', target: 'shop/mailer' } }],
    ['what is not known', { metadata: { queue: 'mail', __proto: 'x' } }],
  ])('refuses %s from Flagger, and fails at nothing', async (_, body) => {
    expect((await hook('flagger', body)).status).toBe(400);
  });

  it.each(['2026-01-01 00:00', 'tomorrow', '+275760-09-13T00:00:01Z', '2026-02-30T00:00:00Z'])('refuses an end or a beginning that is no time: %s', async (until) => {
    expect((await as('admin', 'POST', '/v1/gates/canary/override', { queue: 'mail', reason: 'why', until })).status).toBe(400);
    expect((await as('admin', 'GET', `/v1/gates/canary?queue=mail&since=${encodeURIComponent(until)}`)).status).toBe(400);
  });

  it('takes a leap second for the second after it, wherever a time is asked for', async () => {
    const until = '2023-11-14T23:59:60Z';
    expect(await as('admin', 'POST', '/v1/gates/canary/override', { queue: 'mail', reason: 'why', until })).toMatchObject({ status: 201, body: { until: '2023-11-15T00:00:00.000Z' } });
    const jobs = async (since: string) => (await as('admin', 'GET', `/v1/jobs?since=${since}`)).body.items as unknown[];
    expect((await jobs('2016-12-31T23:59:60Z')).length).toBeGreaterThan(0);
    expect(await jobs('2024-12-31T23:59:60Z')).toEqual([]);
  });
});
