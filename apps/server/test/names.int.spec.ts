import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { event, TestService, worker } from './service.fixture.js';

/** H1: what people call their jobs. */
const HOSTILE = [
  'a:b',
  'a/b',
  '/',
  '//x//',
  '%2F',
  '%252F',
  'a%',
  '..',
  '.',
  '../../etc/passwd',
  'with space',
  ' leading and trailing ',
  'plus+and&and=and?and#',
  '"quotes" and \'apostrophes\'',
  "'; DROP TABLE jobs; --",
  'emoji 🐝 and combining e\u0301',
  '日本語',
  'back\\slash',
  'semi;colon',
  'new\nline and\ttab',
  '{curly} [square] <angle>',
  '$1 {0} %s',
  'x'.repeat(512),
  '🐝'.repeat(128),
];
/** Clients resolve these in a path before they send it, and cannot be told not to. */
const NO_PATH_CARRIES = new Set(['.', '..']);

describe('hostile names', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, 'queues: {}');
  });
  afterAll(() => service.stop());

  it('round trip as job id and queue through every route that names a job', async () => {
    for (const name of HOSTILE) {
      const queue = name.length > 60 ? 'long ids' : name;
      const workerId = name.length > 60 ? `worker of ${name.slice(0, 2)}${String(name.length)}` : name;
      await service.send(event('queued', name, { queue }), event('started', name, { queue, ...worker(workerId) }));
      const query = `queue=${encodeURIComponent(queue)}&id=${encodeURIComponent(name)}`;
      const path = `/v1/queues/${encodeURIComponent(queue)}/jobs/${encodeURIComponent(name)}`;
      const forms = [
        {
          one: `/v1/jobs/one?${query}`,
          events: `/v1/jobs/one/events?${query}`,
          call: (c: string) => `/v1/jobs/one/${c}?${query}`,
        },
        ...(NO_PATH_CARRIES.has(name)
          ? []
          : [{ one: path, events: `${path}/events`, call: (c: string) => `${path}/${c}` }]),
      ];
      for (const form of forms) {
        const one = await service.get(form.one);
        expect(one.body, name).toMatchObject({ queue, id: name, status: 'processing' });
        const timeline = await service.get(form.events);
        expect(new Set(timeline.body.items.map((e) => e.subject)), name).toEqual(new Set([name]));
        const limits = await service.call('POST', form.call('limits'), { body: { reason: 'test', maxRetries: 5 } });
        expect(limits.status, name).toBe(200);
      }
      const listed = await service.get(`/v1/jobs?${query}`);
      expect(listed.body.items, name).toMatchObject([{ queue, id: name, status: 'processing' }]);
      const byWorker = await service.get(`/v1/jobs?worker=${encodeURIComponent(workerId)}`);
      expect(
        byWorker.body.items.map((j) => j.id),
        name,
      ).toEqual([name]);
      const queueView = NO_PATH_CARRIES.has(queue)
        ? null
        : await service.get(`/v1/queues/${encodeURIComponent(queue)}`);
      if (queueView !== null) expect(queueView.body, name).toMatchObject({ queue });
    }
    const queues = await service.get('/v1/queues?limit=1000');
    const names = queues.body.items.map((q) => q.queue);
    expect(names.filter((n) => HOSTILE.includes(n)).length).toBe(HOSTILE.filter((n) => n.length <= 60).length);
    const holders = await service.get('/v1/workers?limit=1000');
    const ids = holders.body.items.map((w) => w.id);
    for (const name of HOSTILE.filter((n) => n.length <= 60)) expect(ids).toContain(name);
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
