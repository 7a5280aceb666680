import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { event, TestService, worker } from './service.fixture.js';
import { EventReader } from './sse.fixture.js';

const POLICY = 'defaults: {actions: act, idempotent: true, heartbeats: none, backoff: {initial: 0s, jitter: 0}}';

describe('streams of server-sent events', () => {
  const database = useTestDatabase();
  let service: TestService;
  const open: EventReader[] = [];

  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(async () => {
    for (const reader of open) reader.close();
    await service.stop();
  });

  const listen = async (path: string, headers: Record<string, string> = {}): Promise<EventReader> => {
    const reader = await EventReader.open(`${service.url}/v1/streams/${path}`, headers);
    open.push(reader);
    return reader;
  };

  /** Leads to one enqueue command for the second attempt, with its invalidation before it. */
  async function failed(id: string, queue = 'emails', namespace = 'default'): Promise<void> {
    const envelope = { namespace };
    await service.send(
      event('queued', id, { queue, payload: { id }, invalidates: { keys: [`job:${id}`] } }, envelope),
      event('started', id, { queue, ...worker('w1') }, envelope),
      event('failed', id, { queue, ...worker('w1'), error: { class: 'E', message: 'no' } }, envelope),
    );
  }

  it('carry commands and invalidations as CloudEvents, per queue and namespace', async () => {
    const commands = await listen('commands?queue=emails');
    const invalidations = await listen('invalidations');
    const acme = await listen('commands?namespace=acme');
    await failed('a');
    await failed('b', 'others');
    await failed('c', 'emails', 'acme');
    const [command] = await commands.until(1);
    expect(command).toMatchObject({
      event: 'jobwarden.command.enqueue.v1',
      data: {
        specversion: '1.0',
        subject: 'a',
        data: { queue: 'emails', attempt: 2, reason: 'backoff', payload: { id: 'a' } },
      },
    });
    await invalidations.until(2);
    expect(
      invalidations.events
        .map((e) => e.data.data.keys)
        .flat()
        .sort(),
    ).toEqual(['job:a', 'job:b']);
    expect((await acme.until(1))[0]?.data.subject).toBe('c');
    expect(commands.events.length).toBe(1);
    const listed = await service.get('/v1/invalidations?limit=1');
    expect(listed.body.items[0]).toMatchObject({ cause: 'requeue', attempt: 2 });
    const rest = await service.get(`/v1/invalidations?limit=1&next=${String(listed.body.next)}`);
    expect(rest.body.items.length).toBe(1);
    expect(rest.body.next).toBe(null);
    expect(rest.body.items[0]?.jobId).not.toBe(listed.body.items[0]?.jobId);
  });

  it('list the invalidations of one job, page by page, whichever queue it is in', async () => {
    await failed('twice', 'mine');
    await failed('twice', 'theirs');
    await failed('other', 'mine');
    const ofJob = async (query: string) => (await service.get(`/v1/invalidations?id=twice${query}`)).body;
    await waitUntil('both have gone out', async () => (await ofJob('')).items.length === 2);
    expect((await ofJob('&queue=mine')).items).toMatchObject([{ queue: 'mine', jobId: 'twice', keys: ['job:twice'] }]);
    const first = await ofJob('&limit=1');
    const rest = await ofJob(`&limit=1&next=${String(first.next)}`);
    expect([...first.items, ...rest.items].map((i) => i['queue']).sort()).toEqual(['mine', 'theirs']);
    expect(rest.next).toBe(null);
    expect((await ofJob('&namespace=acme')).items).toEqual([]);
  });

  it('go on behind the last id, without a loss or a repeat', async () => {
    const first = await listen('commands?queue=resumed');
    await failed('r1', 'resumed');
    await failed('r2', 'resumed');
    await first.until(2);
    first.close();
    await failed('r3', 'resumed');
    await waitUntil(
      'r3 is requeued',
      async () => (await service.get('/v1/queues/resumed/jobs/r3')).body.status === 'requeued',
    );
    const second = await listen('commands?queue=resumed', { 'last-event-id': first.lastEventId });
    expect((await second.until(1)).map((e) => e.data.subject)).toEqual(['r3']);
    await failed('r4', 'resumed');
    expect((await second.until(2)).map((e) => e.data.subject)).toEqual(['r3', 'r4']);
    const all = await listen('commands?queue=resumed&from=start');
    expect((await all.until(4)).map((e) => e.data.subject).sort()).toEqual(['r1', 'r2', 'r3', 'r4']);
    expect(new Set(all.events.map((e) => e.data.id)).size).toBe(4);
  });

  it('refuse an id that is none, and a stream that is none', async () => {
    const bad = await service.get('/v1/streams/commands', { 'last-event-id': 'not an id' });
    expect(bad).toMatchObject({ status: 400, body: { code: 'stream_id_invalid' } });
    expect(await service.get('/v1/streams/metrics')).toMatchObject({ status: 404, body: { code: 'stream_unknown' } });
    expect((await service.call('HEAD', '/v1/streams/commands')).status).toBe(200);
  });

  it('hold nothing for a reader that takes nothing, and let the others go on', async () => {
    const { port } = new URL(service.url);
    const stuck = connect(Number(port), '127.0.0.1');
    stuck.pause();
    stuck.write('GET /v1/streams/commands HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const quick = await listen('commands?queue=quick');
    await failed('q1', 'quick');
    await quick.until(1);
    stuck.destroy();
  });

  it('end when the service does, and do not keep it', async () => {
    const other = await TestService.start(database.url, POLICY);
    const reader = await EventReader.open(`${other.url}/v1/streams/commands`);
    const startedMs = performance.now();
    await Promise.all([other.stop(), other.stop()]);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    await waitUntil('the stream ended', () => reader.ended);
    await expect(fetch(`${other.url}/healthz`)).rejects.toThrow();
  });
});
