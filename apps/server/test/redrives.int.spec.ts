import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil, useTestDatabase } from '#libs/testing';
import { asOwner, event, TestService, type Body } from './service.fixture.js';

const POLICY = `
defaults: {actions: act, idempotent: true, maxRetries: 0, maxRedrives: 1}
`;

describe('many dead letters sent round again', () => {
  const database = useTestDatabase();
  let service: TestService;
  beforeAll(async () => (service = await TestService.start(database.url, POLICY)));
  afterAll(() => service.stop());

  const path = '/v1/dead-letters/redrives';
  const start = (body: object) => service.call('POST', path, { body: { reason: 'the mail server is back', ...body } });
  const run = async (id: string): Promise<Body> => (await service.get(`${path}/${id}`)).body;
  const dead = async (queue: string) => (await service.get(`/v1/jobs?queue=${queue}&status=dead-lettered&limit=1000`)).body.items.length;

  async function die(queue: string, count: number, message = 'no'): Promise<void> {
    const before = await dead(queue);
    for (let i = 0; i < count; i += 1) {
      const id = `${message}-${String(i)}`;
      await service.send(event('queued', id, { queue }), event('failed', id, { queue, error: { class: 'E', message }, retryable: false }));
    }
    await pollUntil(async () => (await dead(queue)) === before + count, { withinMs: 20_000 });
  }

  it('are counted first, and started only by who has seen how many', async () => {
    await die('counted', 20);
    const counted = await start({ queue: 'counted' });
    expect(counted).toMatchObject({ status: 200, body: { found: 20, run: null } });
    expect(await start({ queue: 'counted', count: 19 })).toMatchObject({ status: 409, body: { code: 'count_differs', found: 20 } });
    expect(await dead('counted')).toBe(20);
    const started = await start({ queue: 'counted', count: 20, perSecond: 1_000 });
    expect(started.body['run']).toMatchObject({ status: 'running', wanted: 20, by: 'local', reason: 'the mail server is back' });
    const { id } = started.body['run'] as Body;
    await pollUntil(async () => (await run(id)).status === 'finished', { withinMs: 20_000 });
    expect(await run(id)).toMatchObject({ redriven: 20, refused: 0, left: 0 });
    const one = await service.get('/v1/queues/counted/jobs/no-0');
    expect(one.body).toMatchObject({ status: 'requeued', attempt: 2 });
    expect(one.body.decisions.find((d) => d['kind'] === 'redriven')).toMatchObject({ by: 'local', reason: 'the mail server is back' });
  });

  it('are bounded by maxRedrives unless they are forced, and say what was left where it was', async () => {
    await die('bounded', 3);
    const first = (await start({ queue: 'bounded', count: 3, perSecond: 1_000 })).body['run'] as Body;
    await pollUntil(async () => (await run(first.id)).status === 'finished', { withinMs: 20_000 });
    for (let i = 0; i < 3; i += 1) {
      await service.send(event('failed', `no-${String(i)}`, { queue: 'bounded', attempt: 2, retryable: false, error: { class: 'E', message: 'again' } }));
    }
    await pollUntil(async () => (await dead('bounded')) === 3, { withinMs: 20_000 });
    expect((await start({ queue: 'bounded' })).body).toMatchObject({ found: 3, outlook: { looked: 3, refusals: { max_redrives: 3 } } });
    expect((await start({ queue: 'bounded', force: true })).body).toEqual({ found: 3, run: null, outlook: { looked: 3, refusals: {} } });
    const second = (await start({ queue: 'bounded', count: 3, perSecond: 1_000 })).body['run'] as Body;
    await pollUntil(async () => (await run(second.id)).status === 'finished', { withinMs: 20_000 });
    expect(await run(second.id)).toMatchObject({ redriven: 0, refused: 3, refusals: { max_redrives: 3 } });
    const third = (await start({ queue: 'bounded', count: 3, perSecond: 1_000, force: true })).body['run'] as Body;
    await pollUntil(async () => (await run(third.id))['redriven'] === 3, { withinMs: 20_000 });
  });

  it('go by their rate, and stay where they are once the run is stopped', async () => {
    await die('slowly', 12);
    const { id } = (await start({ queue: 'slowly', count: 12, perSecond: 2 })).body['run'] as Body;
    await pollUntil(async () => Number((await run(id))['redriven']) >= 2, { withinMs: 20_000 });
    const stopped = await service.call('POST', `${path}/${id}/stop`, { body: {} });
    expect(stopped).toMatchObject({ status: 200, body: { status: 'stopped', stoppedBy: 'local' } });
    expect(await dead('slowly')).toBeGreaterThan(0);
    expect(await service.call('POST', `${path}/${id}/stop`, { body: {} })).toMatchObject({ status: 409, body: { code: 'redrive_over' } });
    const listed = await service.get(`${path}?queue=slowly`);
    expect(listed.body.items.map(({ id: found }) => found)).toEqual([id]);
  });

  it('are those of one pattern where one is named', async () => {
    await die('patterned', 4, 'pipe broken');
    await die('patterned', 2, 'leg broken');
    const found = async () => (await service.get('/v1/dead-letters/patterns?queue=patterned')).body.items as unknown as readonly { id: string; message: string; letters: number }[];
    await pollUntil(async () => (await found()).reduce((sum, { letters }) => sum + letters, 0) === 6, { withinMs: 20_000 });
    const leg = (await found()).find(({ message }) => message === 'leg broken')!;
    expect((await start({ queue: 'patterned', pattern: leg.id })).body).toMatchObject({ found: 2 });
    expect((await start({ queue: 'patterned', diedOf: 'lost' })).body).toMatchObject({ found: 0 });
    const { id } = (await start({ queue: 'patterned', pattern: leg.id, count: 2, perSecond: 1_000 })).body['run'] as Body;
    await pollUntil(async () => (await run(id)).status === 'finished', { withinMs: 20_000 });
    expect(await dead('patterned')).toBe(4);
  });

  it('do nothing twice where a step was done and not noted', async () => {
    await die('killed', 6);
    const { id } = (await start({ queue: 'killed', count: 6, perSecond: 6 })).body['run'] as Body;
    await pollUntil(async () => (await run(id)).status === 'finished', { withinMs: 20_000 });
    // As after a kill between the calls and their note.
    await asOwner(database.url, `UPDATE jobwarden.redrives SET status = 'running', ended_ms = NULL, since_ms = -1, job_key = '\\x', redriven = 0 WHERE redrive_id = $1`, [id]);
    await pollUntil(async () => (await run(id)).status === 'finished', { withinMs: 20_000 });
    const jobs = (await service.get('/v1/jobs?queue=killed')).body.items;
    expect(jobs.map(({ status, attempt }) => [status, attempt])).toEqual(Array.from({ length: 6 }, () => ['requeued', 2]));
  });

  it('answer what is wrong with a call', async () => {
    for (const more of [{}, { count: 1 }]) expect(await start({ queue: 'nobody', ...more })).toMatchObject({ status: 404, body: { code: 'queue_unknown' } });
    expect(await start({ queue: 'counted', kind: 'none', count: 1 })).toMatchObject({ status: 409, body: { found: 0 } });
    expect(await service.call('POST', path, { body: { queue: 'counted' } })).toMatchObject({ status: 200, body: { run: null } });
    expect(await service.call('POST', '/v1/dead-letters/reviews', { body: { queue: 'nobody', reason: 'a typo' } })).toMatchObject({ status: 404, body: { code: 'queue_unknown' } });
    expect(await start({ queue: 'counted', count: 1, reason: ' ' })).toMatchObject({ status: 400, body: { code: 'reason_required' } });
    // Else every job would refuse it, one by one.
    expect(await start({ queue: 'counted', reason: 'ü'.repeat(8_000) })).toMatchObject({ status: 400, body: { code: 'reason_too_long' } });
    expect(await start({ queue: 'counted', perSecond: 0 })).toMatchObject({ status: 400 });
    expect(await start({ queue: 'counted', pattern: 'x' })).toMatchObject({ body: { found: 0 } });
    expect((await service.get(`${path}/999999`)).status).toBe(404);
    expect((await service.call('POST', `${path}/no/stop`, { body: {} })).status).toBe(404);
  });
});
