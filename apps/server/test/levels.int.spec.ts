import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { asOwner, event, TestService, worker } from './service.fixture.js';

const POLICY = `
defaults: {lease: 10s, grace: 5s}
queues:
  emails: {idempotent: true, actions: approve}
  unsafe: {}
`;
const T0 = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number) => new Date(T0 + ms).toISOString();

describe('from observe to act, over REST', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(() => service.stop());

  async function runAt(ms: number) {
    await service.call('PUT', '/v1/clock', { body: { now: at(ms) } });
    return (await service.call('POST', '/v1/reconciliations', { body: {} })).body;
  }

  const lost = (job: string) => service.send(event('queued', job), event('started', job, { ...worker(`w-${job}`), leaseMs: 10_000 }));
  const approve = (body: object, query = '') => service.call('POST', `/v1/verdicts/approve${query}`, { body });
  const verdicts = async (query: string) => (await service.get(`/v1/verdicts?${query}`)).body.items;
  const setLevel = (queue: string, body: object) => service.call('PUT', `/v1/queues/${queue}/levels`, { body });

  it('list what waits for an approval, and refuse another number than is found', async () => {
    await lost('a');
    await lost('b');
    expect((await runAt(10_000))['rows']).toMatchObject([{ outcome: 'would-have' }, { outcome: 'would-have' }]);
    const proposed = await verdicts('state=proposed&queue=emails&action=requeue');
    expect(proposed).toMatchObject([{ level: 'approve', grade: 'open' }, { state: 'proposed' }]);
    expect(await verdicts('id=b&queue=emails')).toMatchObject([{ id: 'b', action: 'requeue' }]);
    expect(await verdicts('id=b')).toMatchObject([{ id: 'b' }]);
    expect(await verdicts('id=b&queue=unsafe')).toEqual([]);
    const filter = { queue: 'emails', verdict: 'lost' };
    expect(await approve({ filter, count: 3, reason: 'r' })).toMatchObject({ status: 409, body: { code: 'count_differs', found: 2, detail: expect.stringContaining('2 are found now, not 3; without `state` the filter also finds what was said at observe') as string } });
    const shown = await approve({ filter: { ...filter, state: 'shown' }, count: 2, reason: 'r' });
    expect(shown).toMatchObject({ status: 409, body: { found: 0, detail: 'nothing was approved: 0 are found now, not 2' } });
    expect(await approve({ filter: { ...filter, state: 'proposed' }, count: 9, reason: 'r' })).toMatchObject({ body: { found: 2 } });
    expect(await approve({ filter: { queue: 'none' }, count: 2, reason: 'r' })).toMatchObject({ status: 409, body: { found: 0 } });
    expect(await approve({ filter, count: 2, reason: 'r' }, '?namespace=other')).toMatchObject({ status: 409, body: { found: 0 } });
  });

  it('say what is wrong with a call that names nothing, or too much', async () => {
    expect(await approve({ reason: 'r' })).toMatchObject({ status: 400, body: { errors: [{ field: 'ids' }] } });
    expect(await approve({ filter: {}, reason: 'r' })).toMatchObject({ status: 400, body: { errors: [{ field: 'count' }] } });
    const both = { ids: ['1'], filter: {}, count: 1, reason: 'r' };
    expect((await approve(both)).body.errors).toMatchObject([{ field: 'filter' }]);
    expect(await approve({ ...both, filter: { until: 'soon' } })).toMatchObject({ status: 400 });
    expect(await approve({ filter: { queu: 'q' }, count: 1, reason: 'r' })).toMatchObject({ status: 400 });
    expect(await approve({ ids: ['1'], reason: ' ' })).toMatchObject({ status: 400 });
  });

  it('do what was approved at the next look, by name of who approved it', async () => {
    const [one] = (await verdicts('state=proposed')).filter((v) => v.id === 'a');
    const answer = await approve({ ids: [one!['verdictId']], reason: 'its host is gone' });
    expect(answer).toMatchObject({ status: 200, body: { approved: 1, verdictIds: [one!['verdictId']] } });
    const [approved] = await verdicts('state=approved');
    expect(approved).toMatchObject({ id: 'a', approval: { by: 'local', reason: 'its host is gone', until: at(10_000 + 900_000) } });
    expect((await runAt(10_001))['rows']).toMatchObject([{ id: 'a', outcome: 'decided', level: 'approve', approvedBy: 'local' }]);
    expect((await runAt(15_001))['rows']).toMatchObject([{ id: 'a', decisions: ['requeued'], approvedBy: 'local' }]);
    const job = (await service.get('/v1/queues/emails/jobs/a')).body;
    expect(job.decisions).toMatchObject([{ evidence: { approval: { by: 'local' } } }, { evidence: { approval: { by: 'local' } } }]);
    expect(await approve({ ids: [one!['verdictId']], reason: 'again' })).toMatchObject({
      status: 409,
      body: { code: 'verdict_moved_on', verdicts: [{ verdictId: one!['verdictId'], state: 'decided' }] },
    });
  });

  it('refuse act where a job that runs twice would do harm, and an approval where nothing may leave', async () => {
    await service.send(event('started', 'u', { ...worker('w-u'), leaseMs: 1_000, queue: 'unsafe' }));
    await runAt(30_000);
    const call = { filter: { queue: 'unsafe' }, count: 1, reason: 'r' };
    expect(await approve(call)).toMatchObject({ status: 409, body: { code: 'level_observe' } });
    const act = await setLevel('unsafe', { action: 'requeue', level: 'act', reason: 'r' });
    expect(act).toMatchObject({ status: 409, body: { code: 'act_needs_safety' } });
    expect(act.body.detail).toMatch(/claims: required or idempotent: true/);
    await setLevel('unsafe', { action: 'requeue', level: 'approve', reason: 'r' });
    expect(await approve(call)).toMatchObject({ status: 200, body: { approved: 1 } });
  });

  it('list what is due and held back, such as by a paused queue, until it is not any more', async () => {
    const held = async (query = '') => (await service.get(`/v1/jobs?held=true${query}`)).body.items;
    await setLevel('emails', { action: 'requeue', level: 'act', reason: 'trusted' });
    await lost('h');
    await runAt(41_000);
    expect(await held()).toEqual([]);
    await service.call('POST', '/v1/queues/emails/pause', { body: { reason: 'the server moves' } });
    await runAt(47_000);
    expect(await held()).toMatchObject([{ id: 'h', heldBy: 'paused', status: 'restart-requested' }]);
    expect(await held('&queue=unsafe')).toEqual([]);
    await service.call('POST', '/v1/queues/emails/resume', { body: { reason: 'it has moved' } });
    await runAt(55_000);
    expect(await held()).toEqual([]);
    await setLevel('emails', { action: 'requeue', level: 'approve', reason: 'as before' });
  });

  it('fall back to observe after a wrong act, show it at the queue, and stay there until an operator says otherwise', async () => {
    await setLevel('emails', { action: 'requeue', level: 'act', reason: 'trusted' });
    await lost('w');
    await runAt(60_000);
    await runAt(65_000);
    await runAt(70_000);
    expect((await service.get('/v1/queues/emails/jobs/w')).body).toMatchObject({ status: 'requeued', attempt: 2 });
    await service.send(event('heartbeat', 'w', worker('w-w')));
    await runAt(70_001);
    const queue = (await service.get('/v1/queues/emails')).body;
    expect(queue).toMatchObject({ levels: { requeue: 'observe', retry: 'approve' }, fallbacks: [{ action: 'requeue' }] });
    expect((await verdicts('kind=act&state=decided')).filter((v) => v.id === 'w')).toMatchObject([{ grade: 'wrong', level: 'act' }]);
    const [incident] = (await service.get('/v1/incidents?kind=wrong_act')).body.items;
    expect(incident).toMatchObject({ status: 'open', subject: 'requeue', queue: 'emails' });
    const metrics = (await service.get('/metrics')).text;
    expect(metrics).toContain('jobwarden_wrong_acts_total{queue="emails",action="requeue"} 1');
    expect(metrics).toContain('jobwarden_level_fallbacks_total{queue="emails",action="requeue"} 1');
    await setLevel('emails', { action: 'requeue', level: 'act', reason: 'the lease is longer now' });
    expect((await service.get('/v1/queues/emails')).body['fallbacks']).toBeUndefined();
    expect((await service.get('/v1/incidents?kind=wrong_act')).body.items).toMatchObject([{ status: 'resolved' }]);
  });
});
