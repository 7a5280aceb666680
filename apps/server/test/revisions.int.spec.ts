import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { event, TestService } from './service.fixture.js';

const token = (name: string, scopes: string, namespaces: string) =>
  `  - {name: ${name}, hash: ${createHash('sha256').update(name).digest('hex')}, scopes: [${scopes}], namespaces: [${namespaces}]}`;
const POLICY = ['tokens:', token('operator', 'operate', '"*"'), token('bound', 'operate', 'other'), token('reader', 'read', '"*"')].join('\n');

describe('releases that are out of service, over REST', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, '');
  });
  afterAll(() => service.stop());

  const call = (what: 'refuse' | 'readmit', body: object) => service.call('POST', `/v1/revisions/${what}`, { body });
  const beat = (id: string, revision: string, job: string) => ({
    ...event('x', id),
    type: 'jobwarden.worker.heartbeat.v1',
    data: { worker: { id, incarnation: '1', revision }, jobs: [{ queue: 'mail', id: job }] },
  });
  const claim = (job: string, revision?: string) =>
    service.call('POST', `/v1/queues/mail/jobs/${job}/claims`, { body: { claimId: `${job}/${revision ?? ''}`, worker: { id: 'w', ...(revision !== undefined && { revision }) } } });

  it('are refused with a reason, shown, told and let in again, and all of it is kept', async () => {
    await service.send(event('queued', 'a', { queue: 'mail' }), event('queued', 'b', { queue: 'mail' }), event('queued', 'c', { queue: 'mail' }));
    await service.send(beat('w1', 'r1', 'a'), beat('w2', 'r2', 'b'));
    const seen = await service.get('/v1/revisions?queue=mail');
    const of = (revision: string) => ({ namespace: 'default', queue: 'mail', revision, workers: 1, running: 1, refused: null });
    expect([...seen.body.items].sort((a, b) => String(a['revision']).localeCompare(String(b['revision'])))).toMatchObject([of('r1'), of('r2')]);
    const refused = await call('refuse', { queue: 'mail', revision: 'r2', reason: 'it leaks' });
    expect([refused.status, refused.body]).toMatchObject([200, { changed: true, liveLeases: 1, refusal: { queue: 'mail', revision: 'r2', reason: 'it leaks', by: 'local', lifted: null } }]);
    await expect.poll(async () => (await call('refuse', { queue: 'mail', revision: 'r2', reason: 'again' })).body, { timeout: 5_000 }).toMatchObject({ changed: false, refusedEverywhere: true, refusal: { reason: 'it leaks' } });
    expect((await service.get('/v1/queues/mail')).body['refusedRevisions']).toEqual(['r2']);
    const told = await service.send(beat('w2', 'r2', 'b'), beat('w1', 'r1', 'a'));
    expect(told.body.results.map((r) => r['refusedQueues'])).toEqual([['mail'], undefined]);
    expect((await claim('c', 'r2')).body).toMatchObject({ status: 409, code: 'revision_quarantined' });
    expect((await claim('c', 'r1')).status).toBe(201);
    expect((await service.get('/v1/revisions')).body.items.find((item) => item['revision'] === 'r2')).toMatchObject({ refused: { reason: 'it leaks' } });
    const readmitted = await call('readmit', { queue: 'mail', revision: 'r2', reason: 'mended' });
    expect(readmitted.body).toMatchObject({ changed: true, refusedEverywhere: false, refusal: { lifted: { by: 'local', reason: 'mended' } } });
    expect((await service.get('/v1/queues/mail')).body).not.toHaveProperty('refusedRevisions');
    expect((await service.get('/v1/revisions/refusals?revision=r2')).body.items).toMatchObject([{ reason: 'it leaks', lifted: { reason: 'mended' } }]);
  });

  it('are shown with what has become of their attempts, and the only one that does well is not refused by mistake', async () => {
    const of = (revision: string) => ({ worker: { id: revision, revision } });
    const life = (job: string, revision: string, end: 'succeeded' | 'failed') => [event('started', job, { queue: 'well', ...of(revision) }), event(end, job, { queue: 'well', ...of(revision), ...(end === 'failed' && { error: { class: 'E', message: 'm' } }) })];
    await service.send(...life('1', 'good', 'succeeded'), ...life('2', 'bad', 'failed'));
    expect((await service.get('/v1/revisions?queue=well')).body.items).toMatchObject([
      { queue: 'well', revision: 'bad', workers: 0, record: { started: 1, succeeded: 0, failed: 1 } },
      { queue: 'well', revision: 'good', workers: 0, record: { started: 1, succeeded: 1, failed: 0, lost: 0 } },
    ]);
    expect((await call('refuse', { queue: 'well', revision: 'good', reason: 'x' })).body).toMatchObject({ status: 409, code: 'only_healthy_revision' });
    expect((await call('refuse', { queue: 'well', revision: 'bad', reason: 'x' })).status).toBe(200);
  });

  it('are not refused by mistake: no reason, no such queue, no such release, nobody left', async () => {
    expect((await call('refuse', { revision: 'r1', reason: ' ' })).body).toMatchObject({ status: 400, code: 'reason_required' });
    expect((await call('refuse', { queue: 'mial', revision: 'r1', reason: 'x' })).body).toMatchObject({ status: 404, code: 'queue_unknown' });
    expect((await call('refuse', { revision: 'r3', reason: 'x' })).body).toMatchObject({ status: 404, code: 'revision_unknown' });
    expect((await call('readmit', { revision: 'r1', reason: 'x' })).body).toMatchObject({ status: 409, code: 'not_refused' });
    await service.send({ ...beat('w9', 'only', 'z'), namespace: 'alone' });
    const alone = { namespace: 'alone', revision: 'only', reason: 'x' };
    expect((await call('refuse', alone)).body).toMatchObject({ status: 409, code: 'last_revision' });
    expect((await call('refuse', { ...alone, force: true })).body).toMatchObject({ changed: true, refusal: { namespace: 'alone', queue: null } });
    expect((await service.get('/v1/revisions')).body.items.some((item) => item['revision'] === 'only')).toBe(false);
  });
});

describe('who may refuse a release', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(() => service.stop());

  it('is who has the scope, in his own namespaces', async () => {
    const call = (token: string, body: object) =>
      service.call('POST', '/v1/revisions/refuse', { body: { revision: 'r1', reason: 'x', force: true, ...body }, headers: { authorization: `Bearer ${token}` } });
    expect((await call('reader', {})).status).toBe(403);
    expect((await call('bound', {})).body).toMatchObject({ status: 404, code: 'namespace_unknown' });
    expect((await call('bound', { namespace: 'other' })).body).toMatchObject({ refusal: { by: 'bound', namespace: 'other' } });
    expect((await call('operator', {})).body).toMatchObject({ refusal: { by: 'operator' } });
  });
});
