import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { asOwner, event, TestService, worker } from './service.fixture.js';

const POLICY = `
defaults: {lease: 10s, grace: 5s, blackout: {minWorkers: 1000}}
queues:
  emails: {idempotent: true, kinds: {slow: {lease: 20s}}}
  unsafe: {actions: approve}
`;
const T0 = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number) => new Date(T0 + ms).toISOString();

describe('the shadow report', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await TestService.start(database.url, POLICY);
    for (const queue of ['emails', 'unsafe']) {
      for (let i = 0; i < 80; i += 1) {
        const kind = i % 2 === 0 ? 'slow' : 'quick';
        const job = `${queue}-${String(i)}`;
        await service.send(event('queued', job, { queue, kind }), event('started', job, { queue, ...worker(`w${String(i)}`) }));
        await service.send(event('heartbeat', job, { queue, ...worker(`w${String(i)}`) }));
      }
    }
    await runAt(20_000);
  });
  afterAll(() => service.stop());

  async function runAt(ms: number): Promise<void> {
    await service.call('PUT', '/v1/clock', { body: { now: at(ms) } });
    await service.call('POST', '/v1/reconciliations', { body: {} });
  }

  const report = async (query = '') => {
    const { body } = await service.get(`/v1/shadow-report?${query}`);
    return body['rows'] as Record<string, unknown>[];
  };

  it('counts what is open, and which thresholds were passed, of kind and of default', async () => {
    expect(await report('queue=emails')).toMatchObject([
      {
        ...{ queue: 'emails', action: 'requeue', level: 'observe', verdicts: 80, open: 80, precision: null, lowerBound: null },
        would: { requeues: 80, retries: 0, deadLetters: 0 },
        ...{ next: 'approve', suggested: false, code: 'too_few' },
      },
    ]);
    const [row] = await report('queue=emails');
    expect(row?.['thresholds']).toEqual(
      expect.arrayContaining([
        { verdict: 'lost', source: 'kind', leastMs: 20_000, mostMs: 20_000, verdicts: 40 },
        { verdict: 'lost', source: 'default', leastMs: 10_000, mostMs: 10_000, verdicts: 40 },
      ]),
    );
  });

  it('tells precision with its bound, shows the wrong ones, and suggests the next level or says why not', async () => {
    await service.send(event('heartbeat', 'emails-4', worker('w4')));
    await runAt(300_000);
    const [emails, unsafe] = await report();
    expect(emails).toMatchObject({ confirmed: 79, wrong: 1, open: 0, precision: 79 / 80, next: 'approve', suggested: true, code: 'met' });
    expect(emails?.['lowerBound']).toBeCloseTo(0.9325, 3);
    expect(emails?.['wrongOnes']).toMatchObject([{ id: 'emails-4', attempt: 1, reason: 'lost', threshold: { source: 'kind', ms: 20_000 } }]);
    const [wrong] = emails?.['wrongOnes'] as { link: string }[];
    expect((await service.get(wrong?.link ?? '')).body).toMatchObject({ id: 'emails-4', queue: 'emails' });
    expect(unsafe).toMatchObject({ confirmed: 80, wrong: 0, level: 'approve', next: 'act', suggested: false, code: 'unsafe' });
    expect(unsafe?.['detail']).toMatch(/claims: required or idempotent: true/);
  });

  it('looks only as far back as it is asked to, and no further than verdicts are kept', async () => {
    await runAt(3_600_000);
    expect(await report('since=30m')).toEqual([]);
    expect(await report('since=2h')).toHaveLength(2);
    expect(await report('namespace=other')).toEqual([]);
    for (const since of ['91d', '0s', 'soon']) {
      expect(await service.get(`/v1/shadow-report?since=${since}`)).toMatchObject({ status: 400, body: { errors: [{ field: 'since' }] } });
    }
  });
});
