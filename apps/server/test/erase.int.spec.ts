import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil, useTestDatabase, waitUntil } from '#libs/testing';
import { asOwner, event, TestService, worker, type Body } from './service.fixture.js';
import { filesWith, tablesWith } from './whole-database.fixture.js';

const POLICY = `
defaults: {actions: act, idempotent: true, maxRetries: 1, backoff: {initial: 1ms, max: 1ms}}
webhooks:
  - {url: "http://127.0.0.1:9/nobody", secretEnv: HOOK_SECRET, events: [commands]}
`;
const ENV = { HOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` };
const OPERATIONS = join(import.meta.dirname, '../../../docs/operations.md');
const MARK = 'Countess-Lovelace-1815';

describe('erasing what was told of a job', () => {
  const database = useTestDatabase();
  let service: TestService;
  beforeAll(async () => (service = await TestService.start(database.url, POLICY, ENV)));
  afterAll(() => service.stop());

  const job = (id: string) => `/v1/queues/emails/jobs/${id}`;
  const one = async (id: string): Promise<Body> => (await service.get(job(id))).body;
  const is = (id: string, status: string) => waitUntil(`it is ${status}`, async () => (await one(id)).status === status);
  const erase = (id: string, reason = 'asked for by the customer') => service.call('DELETE', `${job(id)}/payload`, { body: { reason } });
  const marked = () => tablesWith(database.url, MARK);
  const failed = (attempt: number, retryable: boolean) => ({
    ...worker('w1'),
    ...{ attempt, retryable, payloadSnapshot: { to: MARK, attempt } },
    error: { class: 'E', message: `${'long '.repeat(2_000)}${MARK}`, stack: `E: no\n  at ${MARK}` },
  });

  it('leaves nothing of it in any table, and takes nothing of another job', async () => {
    const payload = { to: MARK };
    await service.send(event('queued', 'ada', { payload }), event('queued', 'same', { payload: { to: 'both' } }));
    await service.send(event('started', 'ada', worker('w1')), event('heartbeat', 'ada', { ...worker('w1'), attempt: 1, progress: { at: MARK } }));
    await service.send(event('failed', 'ada', failed(1, true)));
    await is('ada', 'requeued');
    await pollUntil(async () => (await asOwner(database.url, `SELECT FROM jobwarden.deliveries`)).length === 1, { withinMs: 20_000 });
    await service.send(event('started', 'ada', { ...worker('w1'), attempt: 2 }), event('heartbeat', 'ada', { ...worker('w1'), attempt: 2, progress: MARK }));
    const broken = event('failed', 'ada', { attempt: 'two', payloadSnapshot: MARK });
    const listing = event('heartbeat', 'w1', { worker: {}, jobs: [{ queue: 'emails', id: 'ada', progress: MARK }, { queue: 'emails', id: 'same', progress: 'kept' }] }, { type: 'jobwarden.worker.heartbeat.v1' });
    await service.call('POST', '/v1/events', { body: [broken, listing] });
    expect(await marked()).toEqual(['bodies', 'leases', 'outbound', 'quarantine']);

    const answer = await erase('ada');
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'processing', already: false, erased: { by: 'local', reason: 'asked for by the customer' }, found: { bodies: 4, commands: 1, progress: 2, quarantined: 2 } },
    });
    expect((answer.body['outOfReach'] as { where: string }[]).map(({ where }) => where)).toEqual(['log', 'topics', 'receivers', 'files']);
    expect(await marked()).toEqual([]);
    expect(await asOwner(database.url, `SELECT FROM jobwarden.deliveries`)).toEqual([]);
    const quarantine = (await service.get('/v1/quarantine')).body.items;
    expect(quarantine.map(({ id, state, bytes }) => [id, state, Number(bytes) > 0])).toEqual([['ada', 'open', true], ['ada', 'dismissed', false]]);
    expect(quarantine[0]!.body).toContain('kept');
    await service.call('POST', `/v1/quarantine/${quarantine[0]!.entryId}/dismiss`, { body: { reason: 'it holds verdicts back' } });

    const shown = await one('ada');
    expect(shown).toMatchObject({ erased: { by: 'local' }, payload: { bytes: JSON.stringify(payload).length } });
    expect(shown.decisions.at(-1)).toMatchObject({ kind: 'payload-erased', by: 'local', evidence: { bodies: 4 } });
    const { hash } = shown['payload'] as { hash: string };
    expect(await service.get(`${job('ada')}/bodies/${hash}`)).toMatchObject({ status: 410, body: { code: 'body_erased', erased: { by: 'local' } } });
    const other = (await one('same'))['payload'] as { hash: string };
    expect((await service.get(`${job('same')}/bodies/${other.hash}`)).body).toEqual({ to: 'both' });
  });

  it('keeps nothing of what is told of it later, and starts it no more', async () => {
    await service.send(event('failed', 'ada', failed(2, false)));
    await is('ada', 'dead-lettered');
    expect(await marked()).toEqual([]);
    expect((await service.get('/v1/dead-letters/one?queue=emails&id=ada')).body).toMatchObject({ erased: { by: 'local' } });
    for (const force of [false, true]) {
      const again = await service.call('POST', `${job('ada')}/redrive`, { body: { reason: 'fixed', force } });
      expect(again).toMatchObject({ status: 409, body: { code: 'payload_erased' } });
    }
    const { body } = await service.call('POST', '/v1/dead-letters/redrives', { body: { queue: 'emails', count: 1, reason: 'fixed' } });
    const { id } = body['run'] as Body;
    await waitUntil('the run is over', async () => (await service.get(`/v1/dead-letters/redrives/${id}`)).body.status === 'finished');
    expect((await service.get(`/v1/dead-letters/redrives/${id}`)).body).toMatchObject({ redriven: 0, refusals: { payload_erased: 1 } });
    expect(await service.call('POST', `${job('ada')}/resolve`, { body: { reason: 'done by hand' } })).toMatchObject({ status: 200 });
  });

  it('keeps nothing of what is refused later either', async () => {
    await service.send(event('queued', 'claimed', { payload: 'p' }));
    expect(await service.call('POST', `${job('claimed')}/claims`, { body: { claimId: 'c-1', attempt: 1, ...worker('w1') } })).toMatchObject({ status: 201 });
    await erase('claimed');
    const refused = await service.call('POST', '/v1/events', { body: [event('failed', 'claimed', failed(1, false))] });
    expect(refused.body.results).toMatchObject([{ outcome: 'refused', code: 'token_required' }]);
    expect(await marked()).toEqual([]);
  });

  it('of a job that is to run again holds it as incomplete, with what is missing', async () => {
    await service.send(event('queued', 'retry', { payload: 'p' }), event('started', 'retry', worker('w1')));
    expect((await erase('retry')).body).toMatchObject({ found: { bodies: 1 } });
    expect(await service.call('POST', `${job('retry')}/restart`, { body: { reason: 'stuck' } })).toMatchObject({ status: 409, body: { code: 'payload_erased' } });
    await service.send(event('failed', 'retry', failed(1, true)));
    await is('retry', 'incomplete');
    expect((await one('retry')).decisions.at(-1)).toMatchObject({ kind: 'held-incomplete', evidence: { missing: 'payload' } });
  });

  it('of a job that shares a body with another, and of equal bodies of one job, takes its own alone', async () => {
    const shared = { shared: 'SHARED-BODY' };
    await service.send(event('queued', 'left', { payload: shared }), event('queued', 'right', { payload: shared }));
    await service.send(event('failed', 'left', { attempt: 1, retryable: false, payloadSnapshot: shared, error: { class: 'E', message: 'no' } }));
    expect((await erase('left')).body).toMatchObject({ found: { bodies: 1 } });
    const { hash } = (await one('right'))['payload'] as { hash: string };
    expect((await service.get(`${job('right')}/bodies/${hash}`)).body).toEqual(shared);
    expect((await service.get(`${job('left')}/bodies/${hash}`)).status).toBe(410);
    // Told once more, as a repeat and as a fact of its own: it stays erased.
    await service.send(event('queued', 'left', { payload: shared }));
    expect((await service.get(`${job('left')}/bodies/${hash}`)).status).toBe(410);
  });

  it('is done once however often it is asked for, and says of what it cannot find', async () => {
    const first = (await erase('left', 'again')).body;
    expect(first).toMatchObject({ already: true, erased: { reason: 'asked for by the customer' }, found: { bodies: 0 } });
    expect((await one('left')).decisions.filter(({ kind }) => kind === 'payload-erased')).toHaveLength(1);
    expect(await erase('nobody')).toMatchObject({ status: 404, body: { code: 'job_unknown' } });
    expect(await erase('left', ' ')).toMatchObject({ status: 400, body: { code: 'reason_required' } });
    expect(await service.call('DELETE', `${job('left')}/payload`)).toMatchObject({ status: 400 });
    const byQuery = await service.call('DELETE', '/v1/jobs/one/payload?queue=emails&id=right', { body: { reason: 'too' } });
    expect(byQuery).toMatchObject({ status: 200, body: { already: false } });
  });

  it('is in the files of the database until its tables are written anew, as the documentation says', async () => {
    await asOwner(database.url, 'CHECKPOINT');
    expect(await filesWith(database.url, MARK)).not.toEqual([]);
    const [, statement = ''] = /`(VACUUM FULL [^;`]+);/u.exec(readFileSync(OPERATIONS, 'utf8')) ?? [];
    await asOwner(database.url, statement);
    await asOwner(database.url, 'CHECKPOINT');
    expect(await filesWith(database.url, MARK)).toEqual([]);
    expect(await filesWith(database.url, 'both')).not.toEqual([]);
  });
});
