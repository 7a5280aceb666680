import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { addressesOf, HOSTILE_NAMES, queueAddressesOf } from './hostile-names.fixture.js';
import { event, TestService, worker } from './service.fixture.js';

describe('hostile names (H1)', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, 'queues: {}');
  });
  afterAll(() => service.stop());

  it('are said once: by the path, or by the query', async () => {
    await service.send(event('queued', 'one', { queue: 'said' }));
    const call = { body: { reason: 'test' } };
    for (const [path, field] of [['/v1/queues/said/pause?queue=other', 'queue'], ['/v1/queues/said/jobs/one/cancel?id=other', 'id']] as const) {
      expect(await service.call('POST', path, call), path).toMatchObject({ status: 400, body: { code: 'invalid', errors: [{ field }] } });
    }
    expect((await service.get('/v1/queues/said')).body).toMatchObject({ paused: false, depth: 1 });
  });

  it('round trip as job id and queue through every route that names a job', async () => {
    for (const name of HOSTILE_NAMES) {
      const queue = name.length > 60 ? 'long ids' : name;
      const workerId = name.length > 60 ? `worker of ${name.slice(0, 2)}${String(name.length)}` : name;
      await service.send(event('queued', name, { queue }), event('started', name, { queue, ...worker(workerId) }));
      const query = `queue=${encodeURIComponent(queue)}&id=${encodeURIComponent(name)}`;
      for (const address of addressesOf(queue, name)) {
        const one = await service.get(address());
        expect(one.body, name).toMatchObject({ queue, id: name, status: 'processing' });
        const timeline = await service.get(address('events'));
        expect(new Set(timeline.body.items.map((e) => e.subject)), name).toEqual(new Set([name]));
        const limits = await service.call('POST', address('limits'), { body: { reason: 'test', maxRetries: 5 } });
        expect(limits.status, name).toBe(200);
      }
      const listed = await service.get(`/v1/jobs?${query}`);
      expect(listed.body.items, name).toMatchObject([{ queue, id: name, status: 'processing' }]);
      const byWorker = await service.get(`/v1/jobs?worker=${encodeURIComponent(workerId)}`);
      expect(
        byWorker.body.items.map((j) => j.id),
        name,
      ).toEqual([name]);
      for (const address of queueAddressesOf(queue)) expect((await service.get(address())).body, name).toMatchObject({ queue });
    }
    const queues = await service.get('/v1/queues?limit=1000');
    const names = queues.body.items.map((q) => q.queue);
    expect(names.filter((n) => HOSTILE_NAMES.includes(n)).length).toBe(HOSTILE_NAMES.filter((n) => n.length <= 60).length);
    const holders = await service.get('/v1/workers?limit=1000');
    const ids = holders.body.items.map((w) => w.id);
    for (const name of HOSTILE_NAMES.filter((n) => n.length <= 60)) expect(ids).toContain(name);
  });

  it.each(['.', '..', 'one', 'a/b', '%2e'])('have levels and a gate as a queue, %j by every address that carries it', async (queue) => {
    await service.send(event('queued', 'a job', { queue }));
    for (const address of queueAddressesOf(queue)) {
      const call = async (method: string, path: string, body: object) => (await service.call(method, address(path), { body })).body;
      expect(await call('PUT', 'levels', { action: 'requeue', level: 'approve', reason: 'trusted' })).toMatchObject({ queue, levels: { requeue: 'approve' } });
      expect((await service.get(address('levels'))).body, queue).toMatchObject({ queue, overrides: [{ action: 'requeue' }] });
      expect(await call('POST', 'throttle', { perSecond: 5, reason: 'slowly' })).toMatchObject({ gate: 'throttled' });
      expect((await service.get(address())).body).toMatchObject({ queue, gate: { gate: 'throttled' } });
      expect(await call('POST', 'resume', { reason: 'again' })).toMatchObject({ gate: 'open' });
      expect(await call('POST', 'blackout/release', { reason: 'none' })).toMatchObject({ code: 'no_blackout' });
    }
    expect((await service.call('POST', '/v1/queue/pause', { body: { reason: 'which?' } })).body.errors).toMatchObject([{ field: 'queue', rule: 'is missing' }]);
  });

  it('are refused over their limit, naming it', async () => {
    const tooLong = 'ü'.repeat(1_025);
    const byPath = await service.get(`/v1/queues/emails/jobs/${encodeURIComponent(tooLong)}`);
    expect(byPath).toMatchObject({ status: 400, body: { code: 'invalid', errors: [{ field: 'id' }] } });
    expect(byPath.body.detail).toContain('2050 bytes, the limit is 2048 (limits.jobId)');
    const byEvent = await service.call('POST', '/v1/events', { body: event('queued', tooLong) });
    expect(byEvent.status).toBe(400);
    expect(byEvent.body.detail).toContain('2048');
    const queue = await service.get(`/v1/queues/${'q'.repeat(256)}`);
    expect(queue.body.detail).toContain('the limit is 255 (limits.queue)');
    expect((await service.get('/v1/queues/emails/jobs/a%00b')).status).toBe(400);
    expect(await service.get('/v1/queues/%ff/jobs/x')).toMatchObject({ status: 400, body: { code: 'url_invalid' } });
  });
});
