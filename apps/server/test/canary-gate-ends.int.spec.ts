import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CanaryGateView } from '#libs/contracts';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { during, type Traffic } from './gate-traffic.fixture.js';
import { asOwner, TestService } from './service.fixture.js';

const T0 = 1_700_000_100_000;
const POLICY = 'defaults: {actions: act, idempotent: true, grace: 0s, maxRetries: 5, backoff: {initial: 10m, max: 10m}, blackout: {share: 1}, gate: {runTimeFactor: off}}\n';

describe('what became of jobs after their attempt, at the canary gate, on a manual clock', () => {
  const database = useTestDatabase();
  let service: TestService;
  let now = T0;

  const count = async (queue: string, status: string) => (await service.get(`/v1/jobs?queue=${queue}&status=${status}`)).body.items.length;

  /** In each stretch half of the attempts end badly, on either side; whatever is to be decided of them is, before the next one. */
  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await TestService.start(database.url, POLICY);
    const next = async (traffic: readonly Traffic[]) => (now = await during(service, { fromMs: now - (now % 10_000) + 10_000, count: 1, traffic }));
    const stable = { revision: '1.0', track: 'stable', jobs: 60, failed: 30, retryable: true };
    const canary = { revision: '2.0', track: 'canary', jobs: 20 };
    const traffic = [{ ...canary, queue: 'loses', lost: 10 }, { ...canary, queue: 'gives-up', failed: 10 }, ...['loses', 'gives-up'].map((queue) => ({ ...stable, queue }))];
    for (let stretch = 0; stretch < 3; stretch += 1) {
      await next(traffic);
      for (const queue of ['loses', 'gives-up']) await waitUntil('nothing is left undecided', async () => (await count(queue, 'processing')) + (await count(queue, 'failed')) === 0);
    }
    await next([]);
  });
  afterAll(() => service.stop());

  const verdictOf = async (queue: string) => {
    const { status, body } = await service.get(`/v1/gates/canary?queue=${queue}`);
    const { verdict, reasons, metrics } = body as unknown as CanaryGateView;
    return { status, verdict, reasons, worse: metrics.filter(({ state }) => state === 'worse').map(({ name, canary, stable }) => [name, canary, stable]) };
  };

  it('a canary that loses its leases is unhealthy for that, where stable fails as often', async () => {
    expect(await verdictOf('loses')).toEqual({ status: 409, verdict: 'unhealthy', reasons: ['lost_worse'], worse: [['lost', 0.5, 0]] });
  });

  it('a canary whose failures are the last ones is unhealthy for its dead letters, where stable fails as often', async () => {
    expect(await verdictOf('gives-up')).toEqual({ status: 409, verdict: 'unhealthy', reasons: ['dead_letters_worse'], worse: [['deadLetters', 0.5, 0]] });
  });
});
