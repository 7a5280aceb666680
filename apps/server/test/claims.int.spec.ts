import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { event, TestService, worker, type Answer } from './service.fixture.js';

const POLICY = `
queues:
  emails: {actions: act, claims: required, lease: 1h, grace: 1h}
  harmful: {}
`;

describe('claims over REST', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(() => service.stop());

  const claim = (id: string, claimId: string, more: object = {}): Promise<Answer> =>
    service.call('POST', `/v1/queues/emails/jobs/${id}/claims`, { body: { claimId, ...worker('w1'), ...more } });
  const single = (type: string, id: string, data: object): Promise<Answer> =>
    service.call('POST', '/v1/events', { body: event(type, id, { ...worker('w1'), ...data }) });
  const detail = (id: string): Promise<Answer> => service.get(`/v1/queues/emails/jobs/${id}`);

  it('answers 201 with token and lease, the same to who asks again, and 409 to who comes second', async () => {
    await service.send(event('queued', 'one', { payload: { to: 'x' } }));
    const first = await claim('one', 'c1');
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      ...{ attempt: 1, token: 1, leaseMs: 3_600_000 },
      command: { queue: 'emails', n: 0, attempt: 1, token: 1, reason: 'queued', payload: { to: 'x' } },
    });
    expect((await claim('one', 'c1')).body).toEqual(first.body);
    const second = await claim('one', 'c2', worker('w2'));
    expect(second.body).toMatchObject({ status: 409, code: 'held', job: { queue: 'emails', id: 'one', status: 'processing' } });
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect((await detail('one')).body.attempts).toMatchObject([{ attempt: 1, token: 1, claimId: 'c1' }]);
  });

  it('takes ids that no path carries, and jobs that nobody has told of', async () => {
    const query = new URLSearchParams({ queue: 'emails', id: '../odd?id' });
    const answer = await service.call('POST', `/v1/jobs/one/claims?${query.toString()}`, { body: { claimId: 'c', ...worker('w1') } });
    expect(answer).toMatchObject({ status: 201, body: { attempt: 1, token: 1 } });
  });

  it('says what is wrong with a claim that is none', async () => {
    expect(await claim('one', '')).toMatchObject({ status: 400, body: { code: 'invalid' } });
    expect(await claim('one', 'c', { leaseMs: 0 })).toMatchObject({ status: 400 });
    const long = await claim('one', 'c', { worker: { id: 'w'.repeat(300) } });
    expect(long.status).toBe(400);
    expect(long.body.detail).toContain('255');
  });

  it('refuses a single event by the older token with 409, and one without a token (B1, B3, B6)', async () => {
    await service.send(event('queued', 'late'));
    const old = (await claim('late', 'c1')).body;
    await single('released', 'late', { token: old['token'] });
    await waitUntil('the next attempt is granted', async () => (await detail('late')).body['attempt'] === 2);
    const fresh = (await claim('late', 'c2', worker('w2'))).body;
    expect(fresh).toMatchObject({ attempt: 2, token: 2 });
    const named = { attempt: 1, token: old['token'] };
    for (const type of ['heartbeat', 'released', 'succeeded']) {
      const answer = await single(type, 'late', named);
      expect([type, answer.status, answer.body.code]).toEqual([type, 409, 'superseded']);
    }
    expect(await single('succeeded', 'late', { attempt: 2 })).toMatchObject({ status: 409, body: { code: 'token_required' } });
    expect((await detail('late')).body).toMatchObject({ status: 'processing', attempt: 2 });
    const limits = await service.call('POST', '/v1/queues/emails/jobs/late/limits', { body: { reason: 'more', maxRetries: 9 } });
    expect(limits.status).toBe(200);
    expect((await single('succeeded', 'late', { attempt: 2, token: 2 })).status).toBe(200);
    expect(await claim('late', 'c3')).toMatchObject({ status: 409, body: { code: 'finished' } });
  });

  it('carries an operator’s restart in the heartbeat’s answer; the next attempt waits until the worker lets go (B4)', async () => {
    await service.send(event('queued', 'hung'));
    const { token } = (await claim('hung', 'c1')).body;
    const state = async () => (await single('heartbeat', 'hung', { token })).body.results[0]?.['state'];
    expect(await state()).toBe('go-on');
    await service.call('POST', '/v1/queues/emails/jobs/hung/restart', { body: { reason: 'stuck' } });
    expect(await state()).toBe('restart-requested');
    expect(await claim('hung', 'c2', worker('w2'))).toMatchObject({ status: 409, body: { code: 'held' } });
    await single('released', 'hung', { token });
    await waitUntil('it is requeued', async () => (await detail('hung')).body.status === 'requeued');
    expect((await claim('hung', 'c2', worker('w2'))).body).toMatchObject({ attempt: 2 });
    // The old worker did not let go after all: for how long both ran is told.
    expect((await single('heartbeat', 'hung', { token })).status).toBe(409);
    expect((await detail('hung')).body.attempts).toMatchObject([{ attempt: 1, overlapMs: expect.any(Number) as number }, { attempt: 2 }]);
  });

  it('grants nothing while the queue is paused, and so many a second while it is throttled', async () => {
    const gate = (call: string, body: object) => service.call('POST', `/v1/queues/emails/${call}`, { body });
    await service.send(event('queued', 'p1'), event('queued', 'p2'));
    expect(await gate('pause', { reason: '' })).toMatchObject({ status: 400 });
    // A field of another call is one that this call does not know.
    expect(await gate('pause', { reason: 'the database is sick', perSecond: 5 })).toMatchObject({ status: 200, body: { gate: 'paused' } });
    const refused = await claim('p1', 'c1');
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'paused', '5']);
    expect((await service.get('/v1/queues/emails')).body).toMatchObject({
      ...{ paused: true, gate: { gate: 'paused', reason: 'the database is sick' } },
    });
    expect(await gate('throttle', { reason: 'slowly', perSecond: 0.001 })).toMatchObject({ body: { gate: 'throttled', perSecond: 0.001 } });
    expect((await claim('p1', 'c1')).status).toBe(201);
    expect(await claim('p2', 'c2')).toMatchObject({ status: 429, body: { code: 'throttled' } });
    expect(await gate('resume', { reason: 'well', perSecond: 5 })).toMatchObject({ body: { gate: 'open' } });
    expect((await claim('p2', 'c2')).status).toBe(201);
  });

  it('lets a queue act that requires claims, and not one that promises nothing', async () => {
    const level = (queue: string) =>
      service.call('PUT', `/v1/queues/${queue}/levels`, { body: { action: 'requeue', level: 'act', reason: 'try' } });
    expect((await level('emails')).status).toBe(200);
    expect(await level('harmful')).toMatchObject({ status: 409, body: { code: 'act_needs_safety' } });
  });
});
