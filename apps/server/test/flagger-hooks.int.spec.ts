import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents } from '#libs/application';
import { Database, PgIncidentStore, QueueIds } from '#libs/postgres';
import { useTestDatabase } from '#libs/testing';
import { clockAt, during, type Traffic } from './gate-traffic.fixture.js';
import { asOwner, TestService } from './service.fixture.js';

const T0 = 1_700_000_100_000;
const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const POLICY = `
defaults: {gate: {margin: 0.05}}
tokens:
  - {name: admin, hash: ${hash('admin')}, scopes: [admin, emit, operate], namespaces: ["*"]}
  - {name: flagger, hash: ${hash('flagger')}, scopes: [read], namespaces: [default]}
`;
const admin = { authorization: 'Bearer admin' };

describe('webhooks of Flagger, on a manual clock', () => {
  const database = useTestDatabase();
  let service: TestService;
  let now = T0;

  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(() => service.stop());

  const busy = async (queue: string, count: number, canary: Partial<Traffic>, stable: Partial<Traffic> = {}) => {
    const traffic = [{ queue, revision: '2.0', track: 'canary', jobs: 6, ...canary }, { queue, revision: '1.0', track: 'stable', jobs: 20, ...stable }];
    now = await during(service, { fromMs: now - (now % 10_000) + 10_000, count, traffic, headers: admin });
  };

  /** As Flagger calls: a POST with its payload, the token as the password of the address, and only the status is looked at. */
  const hook = async (name: string, queue: string, { phase = 'Progressing', checksum = 'c1', metadata = {} }: { phase?: string; checksum?: string; metadata?: object } = {}) => {
    const { status, body } = await service.call('POST', `/v1/gates/canary/flagger/${name}`, {
      headers: { authorization: `Basic ${Buffer.from('flagger:flagger').toString('base64')}` },
      body: { name: queue, namespace: 'shop', phase, checksum, metadata: { queue, ...metadata } },
    });
    return { status, yes: body['yes'], says: String(body['says']) };
  };

  it('the rollout may begin, the promotion waits, and nothing is rolled back before anything tells', async () => {
    await busy('mail', 1, { jobs: 0 });
    expect(await hook('confirm-rollout', 'mail', { phase: 'Initialized' })).toMatchObject({ status: 200, yes: true });
    expect(await hook('confirm-promotion', 'mail')).toMatchObject({ status: 403, yes: false, says: expect.stringContaining('inconclusive: no_canary_traffic') as string });
    expect((await hook('rollback', 'mail')).status).toBe(403);
  });

  it('the promotion is confirmed when the canary is healthy, and then nothing is rolled back', async () => {
    await hook('rollback', 'mail', { checksum: 'c2' });
    await busy('mail', 10, { jobs: 15 }, { jobs: 30 });
    expect(await hook('confirm-promotion', 'mail', { checksum: 'c2', phase: 'WaitingPromotion' })).toMatchObject({ status: 200, yes: true });
    expect((await hook('rollback', 'mail', { checksum: 'c2', phase: 'WaitingPromotion' })).status).toBe(403);
  });

  it('it is rolled back as soon as the threshold is crossed, and the promotion waits (K9)', async () => {
    await hook('confirm-rollout', 'bad');
    const answers: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      await busy('bad', 1, { failed: 4 }, { failed: 1 });
      answers.push((await hook('rollback', 'bad')).status);
    }
    // Not with the first failure, and not only at the end.
    expect(answers[0]).toBe(403);
    expect(answers.at(-1)).toBe(200);
    expect(answers.indexOf(200)).toBeLessThan(7);
    expect(answers.toSorted().reverse()).toEqual(answers);
    expect(await hook('rollback', 'bad', { phase: 'WaitingPromotion' })).toMatchObject({ status: 200, yes: true, says: expect.stringContaining('failures_worse') as string });
    expect((await hook('confirm-promotion', 'bad')).status).toBe(403);
  });

  it('what an earlier canary did neither keeps the next one out nor rolls it back', async () => {
    // Its release has another checksum; or it waits to be confirmed, when the checksum is still the old one.
    expect((await hook('rollback', 'bad', { checksum: 'next' })).status).toBe(403);
    expect((await hook('rollback', 'bad', { checksum: 'next', phase: 'WaitingPromotion' })).status).toBe(403);
    expect((await hook('confirm-rollout', 'bad')).status).toBe(200);
    expect((await hook('rollback', 'bad', { phase: 'Waiting' })).status).toBe(403);
    // A revision by name is known for what it did.
    expect((await hook('confirm-rollout', 'bad', { metadata: { revision: '2.0' } })).status).toBe(403);
    expect((await hook('confirm-rollout', 'bad', { metadata: { revision: '3.0' } })).status).toBe(200);
  });

  it('both confirmations wait while a postmortem is open, and that is no reason to roll back', async () => {
    const pool = new Database({ url: database.url, poolSize: 1, role: 'jobwarden_app' });
    const incidents = new Incidents(new PgIncidentStore(pool, new QueueIds(pool)));
    await incidents.open('saturation', { namespace: 'default', queue: 'mail' }, { reason: 'saturated', evidence: { target: null } });
    await pool.close();
    const promotion = await hook('confirm-promotion', 'mail', { checksum: 'c2' });
    expect(promotion).toMatchObject({ status: 403, says: expect.stringContaining('postmortem_open') as string });
    expect((await hook('rollback', 'mail', { checksum: 'c2' })).status).toBe(403);
    expect((await hook('confirm-rollout', 'mail', { checksum: 'c2' })).status).toBe(403);
  });

  it('what names nothing that is known waits, and rolls nothing back', async () => {
    for (const name of ['confirm-rollout', 'confirm-promotion', 'rollback']) {
      expect((await hook(name, 'nobody')).status).toBe(403);
      expect((await hook(name, 'mail', { metadata: { revison: '2.0' } })).status).toBe(400);
      expect((await hook(name, 'mail', { metadata: { namespace: 'acme' } })).status).toBe(404);
    }
    const address = '/v1/gates/canary/flagger/confirm-promotion?queue=bad&baseline=1.0';
    const wrong = await service.call('POST', address, { headers: { authorization: `Basic ${Buffer.from('flagger:wrong').toString('base64')}` }, body: {} });
    expect(wrong.status).toBe(401);
    await clockAt(service, (now += 1_000), admin);
    const byAddress = await service.call('POST', address, { headers: { authorization: 'Bearer flagger' }, body: { name: 'bad', namespace: 'shop', phase: 'Progressing', checksum: 'z' } });
    expect(byAddress.status).toBe(403);
  });
});
