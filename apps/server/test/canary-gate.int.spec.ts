import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents } from '#libs/application';
import type { CanaryGateView } from '#libs/contracts';
import { Database, PgIncidentStore, PgPostmortemStore, QueueIds } from '#libs/postgres';
import { useTestDatabase } from '#libs/testing';
import { gateAddress, phaseOf } from './argo.fixture.js';
import { clockAt, during, type Traffic } from './gate-traffic.fixture.js';
import { asOwner, TestService, type Answer } from './service.fixture.js';

/** A multiple of 5 minutes. */
const T0 = 1_700_000_100_000;
const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const token = (name: string, scopes: string, namespaces: string) => `  - {name: ${name}, hash: ${hash(name)}, scopes: [${scopes}], namespaces: [${namespaces}]}`;
const POLICY = [
  'defaults: {gate: {margin: 0.05}}',
  'queues:',
  '  mail: {rollback: {target: shop/mailer}}',
  '  invoices: {rollback: {target: shop/mailer}}',
  'tokens:',
  token('admin', 'admin, read, emit, operate', '"*"'),
  token('reader', 'read', '"*"'),
  token('eve', 'read, operate', 'acme'),
].join('\n');

const canary = (more: Partial<Traffic> = {}): Traffic => ({ queue: 'mail', revision: '2.0', track: 'canary', jobs: 6, ...more });
const stable = (more: Partial<Traffic> = {}): Traffic => ({ queue: 'mail', revision: '1.0', track: 'stable', jobs: 20, ...more });

describe('the canary gate over REST, on a manual clock', () => {
  const database = useTestDatabase();
  let service: TestService;
  let pool: Database;
  let now = T0;

  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await TestService.start(database.url, POLICY);
    pool = new Database({ url: database.url, poolSize: 2, role: 'jobwarden_app' });
  });
  afterAll(async () => {
    await pool.close();
    await service.stop();
  });

  const as = (name: string, method: string, path: string, body?: object): Promise<Answer> =>
    service.call(method, path, { headers: { authorization: `Bearer ${name}` }, ...(body !== undefined && { body }) });
  const ask = async (query: string, name = 'reader') => {
    const { status, body } = await as(name, 'GET', `/v1/gates/canary?${query}`);
    return { status, body: body as unknown as CanaryGateView };
  };
  const busy = async (count: number, ...traffic: readonly Traffic[]) => {
    now = await during(service, { fromMs: now - (now % 10_000) + 10_000, count, traffic, headers: { authorization: 'Bearer admin' } });
  };

  it('is inconclusive with a code of its own as long as nothing tells: no traffic, too little, not enough (K10)', async () => {
    await busy(1, stable());
    expect(await ask('queue=mail')).toMatchObject({ status: 425, body: { verdict: 'inconclusive', pass: false, reasons: ['no_canary_traffic'], canary: null, needed: { canary: 20, stable: 0 } } });
    await busy(2, canary({ jobs: 1, failed: 1 }), stable());
    const few = await ask('queue=mail');
    expect(few).toMatchObject({ status: 425, body: { verdict: 'inconclusive', reasons: ['below_minimum_sample'], samples: { canary: 1, stable: 20 } } });
    expect(few.body.needed.canary).toBeGreaterThanOrEqual(19);
    expect(await ask('queue=mail&form=argo')).toMatchObject({ status: 200, body: { verdict: 'inconclusive', pass: false } });
  });

  it('is healthy once there is evidence for it, by track, by revision and by target', async () => {
    await busy(10, canary({ queue: 'invoices', jobs: 15 }), stable({ queue: 'invoices', jobs: 30 }));
    for (const query of ['queue=invoices', 'queue=invoices&revision=2.0', 'queue=invoices&revision=2.0&baseline=1.0', 'queue=invoices&track=canary']) {
      const { status, body } = await ask(query);
      expect({ query, status, verdict: body.verdict, pass: body.pass }).toEqual({ query, status: 200, verdict: 'healthy', pass: true });
      expect(body.needed).toEqual({ canary: 0, stable: 0 });
      expect(body.metrics.map(({ name, state }) => `${name} ${state}`)).toEqual(['failures not-worse', 'lost not-worse', 'deadLetters not-worse', 'runTimes not-worse']);
    }
    // One failure of one in another queue of the same workers does not tell otherwise.
    expect((await ask('target=shop/mailer')).body).toMatchObject({ verdict: 'healthy', samples: { canary: 10 * 15 + 1 }, scope: { target: 'shop/mailer', queue: null } });
  });

  it('is unhealthy on evidence, and says by what', async () => {
    await busy(8, canary({ queue: 'bad', failed: 3 }), stable({ queue: 'bad', failed: 1 }));
    const { status, body } = await ask('queue=bad');
    expect({ status, verdict: body.verdict, reasons: body.reasons }).toEqual({ status: 409, verdict: 'unhealthy', reasons: ['failures_worse'] });
    expect(body.metrics[0]).toMatchObject({ name: 'failures', state: 'worse', canary: 0.5, stable: 0.05 });
    expect(await ask('queue=bad&form=argo')).toMatchObject({ status: 200, body: { verdict: 'unhealthy', pass: false } });
    await busy(8, canary({ queue: 'slow', durationMs: 400 }), stable({ queue: 'slow' }));
    expect((await ask('queue=slow')).body).toMatchObject({ verdict: 'unhealthy', reasons: ['run_times_worse'] });
  });

  it('is an error with a code of its own where there is nothing to judge', async () => {
    expect(await ask('queue=mail&revision=9.9')).toMatchObject({ status: 424, body: { verdict: 'error', reasons: ['revision_unknown'] } });
    expect(await ask('queue=nobody')).toMatchObject({ status: 424, body: { verdict: 'error', reasons: ['queue_unknown'] } });
    expect(await ask('target=shop/other')).toMatchObject({ status: 424, body: { verdict: 'error', reasons: ['target_unknown'] } });
    await busy(2, canary({ queue: 'alone' }));
    expect(await ask('queue=alone')).toMatchObject({ status: 424, body: { verdict: 'error', reasons: ['stable_unknown'] } });
    expect(await ask('queue=alone&form=argo')).toMatchObject({ status: 200, body: { verdict: 'error', pass: false } });
  });

  it('asks for one scope, and one way to tell the canary', async () => {
    for (const query of ['', 'queue=mail&target=shop/mailer']) expect(await ask(query)).toMatchObject({ status: 400, body: { code: 'scope_required' } });
    expect(await ask('queue=mail&track=a&revision=b')).toMatchObject({ status: 400, body: { code: 'canary_ambiguous' } });
    expect(await ask('queue=mail&trak=a')).toMatchObject({ status: 400 });
    expect(await ask('queue=mail', 'eve')).toMatchObject({ status: 404, body: { code: 'namespace_unknown' } });
    expect(await ask('target=shop/mailer', 'eve')).toMatchObject({ status: 424, body: { reasons: ['target_unknown'] } });
  });

  it('what an earlier canary did does not count where the rollout began later', async () => {
    expect((await ask(`queue=bad&since=${new Date(now).toISOString()}`)).body).toMatchObject({ verdict: 'inconclusive', reasons: ['no_canary_traffic'] });
  });

  it('is closed while a postmortem is open, of the target or of the queue, unless somebody says why not', async () => {
    const incidents = new Incidents(new PgIncidentStore(pool, new QueueIds(pool)));
    const of = async (queue: string, target: string | null) => (await incidents.open('saturation', { namespace: 'default', queue }, { reason: 'saturated', evidence: { target } })).incident.id;
    const [mailer, alone] = [await of('mail', 'shop/mailer'), await of('slow', null)];
    const closed = [{ code: 'postmortem_open', incidentIds: [mailer] }];
    expect(await ask('queue=invoices')).toMatchObject({ status: 423, body: { verdict: 'healthy', pass: false, closed } });
    expect(await ask('target=shop/mailer&form=argo')).toMatchObject({ status: 200, body: { verdict: 'healthy', pass: false, closed } });
    expect(await ask('queue=slow')).toMatchObject({ status: 409, body: { closed: [{ incidentIds: [alone] }] } });
    expect((await ask('queue=bad')).body.closed).toEqual([]);

    const until = new Date(now + 60_000).toISOString();
    const allow = (body: object, name = 'admin') => as(name, 'POST', '/v1/gates/canary/override', { reason: 'mended by 2.0', until, ...body });
    expect(await allow({ target: 'shop/mailer' }, 'eve')).toMatchObject({ status: 403, body: { code: 'namespace_bound' } });
    expect(await allow({ target: 'shop/mailer' }, 'reader')).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
    expect(await allow({ queue: 'nobody' })).toMatchObject({ status: 404, body: { code: 'queue_unknown' } });
    expect(await allow({ target: 'shop/mailr' })).toMatchObject({ status: 404, body: { code: 'target_unknown' } });
    expect(await allow({ target: 'shop/mailer', until: new Date(now).toISOString() })).toMatchObject({ status: 400, body: { code: 'until_past' } });
    expect(await allow({ target: 'shop/mailer', until: new Date(now + 8 * 86_400_000).toISOString() })).toMatchObject({ status: 400, body: { code: 'until_too_far' } });
    expect(await allow({ target: 'shop/mailer', reason: '' })).toMatchObject({ status: 400 });
    expect(await allow({ target: 'shop/mailer' })).toMatchObject({ status: 201, body: { by: 'admin', until, holds: true } });

    expect(await ask('queue=invoices')).toMatchObject({ status: 200, body: { pass: true, closed: [], override: { by: 'admin', reason: 'mended by 2.0', holds: true } } });
    expect((await as('reader', 'GET', '/v1/gates/canary/overrides')).body.items).toMatchObject([{ scope: { target: 'shop/mailer' }, by: 'admin', reason: 'mended by 2.0' }]);
    await clockAt(service, (now += 70_000), { authorization: 'Bearer admin' });
    expect(await ask('queue=invoices')).toMatchObject({ status: 423, body: { pass: false, override: null } });
    expect((await as('reader', 'GET', '/v1/gates/canary/overrides')).body.items).toMatchObject([{ holds: false }]);

    await incidents.resolveById(mailer, { reason: 'all work again' });
    expect(await ask('queue=invoices')).toMatchObject({ status: 423 });
    await new PgPostmortemStore(pool).sign(mailer, { by: 'ada', note: null });
    expect(await ask('queue=invoices')).toMatchObject({ status: 200, body: { pass: true, closed: [] } });
  });

  it('makes the analysis template that is shipped succeed, fail or go on measuring, by what it is', async () => {
    const measure = async (scope: string, canaryRevision: string, stableRevision = '1.0') => {
      const address = gateAddress({ target: 'shop/mailer', 'canary-revision': canaryRevision, 'stable-revision': stableRevision, token: 'reader' });
      const { status, body } = await service.get(address.path.replace('target=shop/mailer', scope), address.headers);
      return status === 200 ? phaseOf(body) : `error ${String(status)}`;
    };
    expect(await measure('target=shop/mailer', '2.0')).toBe('Successful');
    expect(await measure('queue=bad', '2.0')).toBe('Failed');
    expect(await measure('queue=mail', '2.0')).toBe('Inconclusive');
    expect(await measure('target=shop/mailer', '9.9')).toBe('Inconclusive');
    expect(await measure('target=shop/mailer', '2.0', '0.1')).toBe('Inconclusive');
    expect(await measure('target=nobody', '2.0')).toBe('Inconclusive');
  });

  it('is told in the metrics, one verdict for each that was asked about', async () => {
    const { text } = await service.get('/metrics', { authorization: 'Bearer reader' });
    expect(text).toContain('jobwarden_gate_verdict{target="default/invoices",verdict="healthy"} 1');
    expect(text).toContain('jobwarden_gate_verdict{target="default/bad",verdict="unhealthy"} 1');
    expect(text).toContain('jobwarden_gate_verdict{target="default/bad",verdict="healthy"} 0');
    expect(text).not.toContain('target="default/nobody"');
  });
});
