import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { CuttableProxy } from '../../../test/browser/harness/cuttable-proxy.js';
import { gateAddress, phaseOf } from './argo.fixture.js';
import { during } from './gate-traffic.fixture.js';
import { asOwner, TestService } from './service.fixture.js';

const T0 = 1_700_000_100_000;
const POLICY = `
queues: {mail: {rollback: {target: shop/mailer}}}
tokens: [{name: all, hash: ${createHash('sha256').update('all').digest('hex')}, scopes: [admin, read, emit], namespaces: ["*"]}]
`;
const headers = { authorization: 'Bearer all' };
const QUERIES = ['queue=mail', 'target=shop/mailer', 'queue=mail&revision=2.0&baseline=1.0', `queue=mail&since=${new Date(T0).toISOString()}`] as const;
const HOOKS = ['confirm-rollout', 'confirm-promotion', 'rollback'] as const;

describe('the canary gate without its database', () => {
  const database = useTestDatabase();
  let service: TestService;
  let way: CuttableProxy;

  /** The canary is told to be unhealthy: what is remembered of it must not roll back either. */
  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    way = await CuttableProxy.start(database.url);
    const behind = new URL(database.url);
    behind.host = new URL(way.url).host;
    service = await TestService.start(behind.href, POLICY);
    const stable = { queue: 'mail', revision: '1.0', track: 'stable', jobs: 20 };
    await during(service, { fromMs: T0, count: 1, traffic: [stable], headers });
    await hook('confirm-rollout');
    await during(service, { fromMs: T0 + 20_000, count: 8, traffic: [stable, { queue: 'mail', revision: '2.0', track: 'canary', jobs: 6, failed: 4 }], headers });
  });
  afterAll(async () => {
    await service.stop();
    await way.cut();
  });

  const ask = (query: string) => service.get(`/v1/gates/canary?${query}`, headers);
  const hook = (name: string) =>
    service.call('POST', `/v1/gates/canary/flagger/${name}`, { headers, body: { name: 'mailer', namespace: 'shop', phase: 'Progressing', checksum: 'c1', metadata: { queue: 'mail' } } });
  const argo = async () => {
    const { path, headers: sent } = gateAddress({ target: 'shop/mailer', 'canary-revision': '2.0', 'stable-revision': '1.0', token: 'all' });
    const { status, body } = await service.get(path, sent);
    return { status, body, phase: phaseOf(body) };
  };
  const forms = async () => [(await ask('queue=mail')).status, (await argo()).phase, (await hook('confirm-promotion')).status, (await hook('rollback')).status];
  const BAD = [409, 'Failed', 403, 200];

  it('says neither yes nor no of a bad canary in any form while it is away, and the same as before when it is back', async () => {
    expect(await forms()).toEqual(BAD);
    await way.cut();
    for (const query of QUERIES) {
      expect(await ask(query), query).toMatchObject({ status: 503, body: { verdict: 'error', pass: false, reasons: ['database_unavailable'], canary: null, closed: [] } });
    }
    expect(await argo()).toMatchObject({ status: 200, body: { verdict: 'error', pass: false, reasons: ['database_unavailable'] }, phase: 'Inconclusive' });
    for (const name of HOOKS) expect(await hook(name), name).toMatchObject({ status: 403, body: { yes: false, says: expect.stringContaining('database is away') as string, gate: null } });
    const allow = await service.call('POST', '/v1/gates/canary/override', { headers, body: { queue: 'mail', reason: 'why', until: new Date(T0 + 600_000).toISOString() } });
    expect(allow).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    expect(await service.get('/v1/gates/canary/overrides', headers)).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    await way.mend();
    await waitUntil('it answers as before', async () => JSON.stringify(await forms()) === JSON.stringify(BAD), { withinMs: 30_000 });
  });
});
