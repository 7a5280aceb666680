import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { asOwner, event, TestService, worker } from './service.fixture.js';

describe('upkeep beside the work', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, 'defaults: {startBy: 1h}');
  });
  afterAll(() => service.stop());

  it('finds an update that never reached its row, mends it and counts it (E4)', async () => {
    await service.send(event('queued', 'drifted'), event('started', 'drifted', worker('w1')), event('queued', 'sound'));
    await asOwner(
      database.url,
      `UPDATE jobwarden.jobs SET status = 'queued', attempt = 1, worker = NULL WHERE job_id = 'drifted'`,
    );
    expect((await service.get('/v1/queues/emails/jobs/drifted')).body.status).toBe('queued');
    await waitUntil(
      'the row is mended',
      async () => (await service.get('/v1/queues/emails/jobs/drifted')).body.status === 'processing',
    );
    expect((await service.get('/metrics')).text).toMatch(/^jobwarden_projection_drift_total 1$/m);
    const [drift] = await asOwner(
      database.url,
      'SELECT count(*)::int AS drifts, bool_and(repaired) AS repaired FROM jobwarden.drifts',
    );
    expect(drift).toEqual({ drifts: 1, repaired: true });
  });

  it('works schedules out again when the policy file changes, and keeps the old one when the new one is broken', async () => {
    await service.send(event('queued', 'waiting'));
    const lookAt = async () => Date.parse(String((await service.get('/v1/queues/emails/jobs/waiting')).body['lookAt']));
    const before = await lookAt();
    service.changePolicy('defaults: {startBy: 2h}');
    await waitUntil('its start-by has moved', async () => (await lookAt()) === before + 3_600_000);
    service.changePolicy('defaults: {startBuy: 3h}');
    await waitUntil('the reload failed', async () =>
      /^jobwarden_policy_reload_failed 1$/m.test((await service.get('/metrics')).text),
    );
    const [defaults] = (await service.get('/v1/policies')).body.items;
    expect(defaults?.values['startBy']).toMatchObject({ value: 7_200_000, origin: { layer: 'defaults' } });
    service.changePolicy('defaults: {startBy: 2h}');
    await waitUntil('the reload is mended', async () =>
      /^jobwarden_policy_reload_failed 0$/m.test((await service.get('/metrics')).text),
    );
  });

  it('binds access to tokens as soon as the file has some', async () => {
    service.changePolicy(`defaults: {startBy: 2h}\ntokens: [{name: t, hash: ${'0'.repeat(64)}, scopes: [read]}]`);
    await waitUntil('a token is needed', async () => (await service.get('/v1/jobs')).status === 401);
    service.changePolicy('defaults: {startBy: 2h}');
    await waitUntil('none is needed', async () => (await service.get('/v1/jobs')).status === 200);
  });
});
