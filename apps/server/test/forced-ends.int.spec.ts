import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { event, TestService, worker, type Answer } from './service.fixture.js';

const POLICY = `
defaults: {lease: 200ms, grace: 100ms, actions: act, idempotent: true}
`;

describe('a job of which something lies in quarantine', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(() => service.stop());

  const path = (id: string, call = ''): string => `/v1/queues/emails/jobs/${id}${call}`;
  const detail = (id: string): Promise<Answer> => service.get(path(id));
  const quarantinedTotal = async (): Promise<number> => {
    const { text } = await service.get('/metrics');
    return [...text.matchAll(/^jobwarden_ingest_events_total\{[^}]*outcome="quarantined"[^}]*\} (\d+)/gmu)].reduce((sum, [, n]) => sum + Number(n), 0);
  };

  it.each([
    ['cancel', 'cancelled', 'cancelled'],
    ['resolve', 'resolved-by-hand', 'succeeded'],
    ['discard', 'discarded', 'discarded'],
  ])('A11: keeps it with its bytes and holds verdicts, and %s ends it by force, audited', async (call, decision, status) => {
    const before = await quarantinedTotal();
    await service.send(event('queued', call), event('started', call, worker('w1')));
    const odd = event('succeeded', call, { ...worker('w1'), attempt: 'last' });
    const sent = await service.call('POST', '/v1/events', { body: odd });
    expect(sent).toMatchObject({ status: 400, body: { code: 'schema', results: [{ outcome: 'quarantined' }] } });
    expect(await quarantinedTotal()).toBe(before + 1);
    await service.send(event('heartbeat', call, { ...worker('w1'), leaseMs: 200 }));
    await waitUntil('its lease has ended, and the verdict is held', async () => {
      const { body } = await service.get('/v1/reconciliations?limit=1000');
      return JSON.stringify(body.items).includes('quarantine') && (await detail(call)).body['heldBy'] === 'quarantine';
    });

    const ended = await service.call('POST', path(call, `/${call}`), { body: { reason: 'the sink has its result', force: true } });
    expect(ended).toMatchObject({ status: 200, body: { status } });
    const { body } = await detail(call);
    expect(body).toMatchObject({ status, attempt: 1 });
    expect(body['heldBy'] ?? null).toBeNull();
    // Nothing was decided but by hand, and the worker, wherever it is, is told.
    expect(body.decisions.map((d) => d['kind'])).toEqual([decision, 'stop-requested']);
    const timeline = (await service.get(path(call, '/events'))).body.items as unknown as { type: string; data: object }[];
    const shown = timeline.find((e) => e.type === `jobwarden.job.${decision}.v1`);
    expect(shown?.data).toMatchObject({ reason: 'the sink has its result', evidence: { forced: true, quarantined: true } });
    expect(shown?.data).toHaveProperty('by', body.decisions[0]?.by);
    const kept = (await service.get('/v1/quarantine?state=open')).body.items.find((e) => e.id === call);
    expect(JSON.parse(kept?.body ?? '')).toEqual(odd);
  });
});
