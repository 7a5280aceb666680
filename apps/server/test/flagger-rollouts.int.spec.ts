import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents } from '#libs/application';
import { Database, PgIncidentStore, PgPostmortemStore, QueueIds } from '#libs/postgres';
import { useTestDatabase } from '#libs/testing';
import { FlaggerRollout, shippedAnalysis, type Asked, type Phase } from './flagger.fixture.js';
import { during, type Traffic } from './gate-traffic.fixture.js';
import { asOwner, TestService } from './service.fixture.js';

const T0 = 1_700_000_100_000;
const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const POLICY = `
defaults: {gate: {margin: 0.05}}
queues: {mail: {rollback: {target: shop/mailer}}}
tokens:
  - {name: admin, hash: ${hash('admin')}, scopes: [admin, emit, operate], namespaces: ["*"]}
  - {name: shipped, hash: ${hash('change-me')}, scopes: [read], namespaces: [default]}
`;
/** Nobody waits longer. */
const MOST_INTERVALS = 40;

describe('rollouts of Flagger with the Canary that is shipped, interval by interval, on a manual clock', () => {
  const database = useTestDatabase();
  const { iterations, webhooks } = shippedAnalysis();
  let service: TestService;
  let rollout: FlaggerRollout;
  let now = T0;

  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await TestService.start(database.url, POLICY);
    rollout = new FlaggerRollout(iterations, ask);
    await work(null);
  });
  afterAll(() => service.stop());

  /** As Flagger calls: its payload, and the token as the password of the address. */
  const ask = async ({ hook, phase, checksum }: Asked): Promise<number> => {
    const webhook = webhooks.find(({ type }) => type === hook);
    if (webhook === undefined) return 403;
    const { pathname, username, password } = new URL(webhook.url);
    const headers = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
    return (await service.call('POST', pathname, { headers, body: { name: 'mailer', namespace: 'shop', phase, checksum, metadata: webhook.metadata } })).status;
  };

  /** An interval of 30 s. null: no canary runs. */
  const work = async (canary: Partial<Traffic> | null) => {
    const stable = { queue: 'mail', revision: '1.0', track: 'mailer-primary', jobs: 20, failed: 1 };
    const traffic = canary === null ? [stable] : [stable, { queue: 'mail', revision: '2.0', track: 'mailer', jobs: 8, ...canary }];
    now = await during(service, { fromMs: now - (now % 10_000) + 10_000, count: 3, traffic, headers: { authorization: 'Bearer admin' } });
  };
  /** Until `phase` is reached. The canary does `does` once it is out. */
  const until = async (phase: Phase, release: string, does: Partial<Traffic> = {}) => {
    for (let i = 0; i < MOST_INTERVALS && (await rollout.interval(release)) !== phase; i += 1) {
      await work(rollout.phase === 'Progressing' || rollout.phase === 'WaitingPromotion' ? { revision: release, ...does } : null);
    }
    expect([rollout.phase, rollout.log]).toEqual([phase, expect.anything()]);
    return rollout.log.splice(0);
  };

  it('a good canary begins, waits until it is told to be healthy, and is promoted: no hook rolls it back', async () => {
    const log = await until('Succeeded', '2.0');
    expect(log[0]).toBe('confirm-rollout Initialized 200');
    expect(log.filter((call) => call.startsWith('rollback') && !call.endsWith('403'))).toEqual([]);
    expect(log.slice(-4)).toEqual([expect.stringMatching(/^rollback \w+ 403$/u), 'confirm-promotion Progressing 200', expect.stringMatching(/^rollback \w+ 403$/u), 'confirm-promotion Progressing 200']);
  });

  it('a bad canary is rolled back while it progresses, before anybody asks for its promotion (K9)', async () => {
    const log = await until('Failed', '2.1', { failed: 4 });
    expect(log[0]).toBe('confirm-rollout Succeeded 200');
    expect(log.at(-1)).toBe('rollback Progressing 200');
    expect(log.filter((call) => call.startsWith('confirm-promotion'))).toEqual([]);
    expect(log.length).toBeGreaterThan(2);
  });

  it('one that turns bad while its promotion waits is rolled back from there, and what the one before did is no reason (K9)', async () => {
    const slow = { jobs: 2, failed: 0 };
    const waiting = await until('WaitingPromotion', '2.2', slow);
    expect(waiting[0]).toBe('confirm-rollout Failed 200');
    expect(waiting.at(-1)).toBe('confirm-promotion Progressing 403');
    expect(waiting.filter((call) => call.endsWith('200'))).toHaveLength(1);
    const log = await until('Failed', '2.2', { failed: 6 });
    expect(log.at(-1)).toBe('rollback WaitingPromotion 200');
    expect(log.filter((call) => call.startsWith('confirm-promotion') && !call.endsWith('403'))).toEqual([]);
  });

  it('none begins while a postmortem is open, and it does as soon as that is signed', async () => {
    const pool = new Database({ url: database.url, poolSize: 1, role: 'jobwarden_app' });
    const incidents = new Incidents(new PgIncidentStore(pool, new QueueIds(pool)));
    const { incident } = await incidents.open('saturation', { namespace: 'default', queue: 'mail' }, { reason: 'saturated', evidence: { target: 'shop/mailer' } });
    for (let i = 0; i < 3; i += 1) expect(await rollout.interval('2.3')).toBe('Waiting');
    expect(rollout.log.splice(0)).toEqual(['confirm-rollout Failed 403', 'confirm-rollout Waiting 403', 'confirm-rollout Waiting 403']);
    await incidents.resolveById(incident.id, { reason: 'all work again' });
    await new PgPostmortemStore(pool).sign(incident.id, { by: 'ada', note: null });
    await pool.close();
    expect(await rollout.interval('2.3')).toBe('Progressing');
  });
});
