import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { TestService } from './service.fixture.js';

const BEGUN = 'POST /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[{\r\n';

describe('senders that break off, and never say so', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url);
  });
  afterAll(() => service.stop());

  const inFlight = async () => (await service.get('/v1/lanes')).body.items.find((lane) => lane['lane'] === 'http')?.['inFlight'];

  it('do not hold the watermark once they have been answered', async () => {
    // Half-open: this end closes nothing, as a machine that has lost its power.
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('end', resolve));
    socket.resume().write(BEGUN);
    await waitUntil('the request is in flight', async () => (await inFlight()) === 1);
    socket.write('this is no chunk\r\n');
    await closed;
    await waitUntil('nothing is in flight', async () => (await inFlight()) === 0, { withinMs: 5_000 });
    socket.destroy();
  });

  it('do not hold it while they leave the answer unread', async () => {
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });
    socket.on('error', () => undefined).pause();
    const head = 'POST /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: text/plain\r\ncontent-length: 0\r\n\r\n';
    socket.write(head.repeat(20_000));
    await once(socket, 'connect');
    await waitUntil('nothing is in flight', async () => (await inFlight()) === 0, { withinMs: 10_000 });
    socket.destroy();
  });

  it('leave nothing behind on a connection that goes on', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const refused = () =>
      new Promise<number>((resolve, reject) => {
        const call = request(`${service.url}/v1/streams/commands`, { agent, headers: { 'last-event-id': 'none' } }, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
        });
        call.once('error', reject).end();
      });
    for (let i = 0; i < 15; i += 1) expect(await refused()).toBe(400);
    agent.destroy();
    process.off('warning', note);
    expect(warnings.filter((w) => w.name === 'MaxListenersExceededWarning')).toEqual([]);
  });

  it('are no fault of the service', async () => {
    const begun = (path: string, type: string) =>
      `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${type}\r\nexpect: 100-continue\r\ncontent-length: 99\r\n\r\n`;
    const aborted = () => service.logged.filter((line) => line.includes('"request_aborted"')).length;
    for (const head of [begun('/v1/events', 'application/json'), begun('/v1/reconciliations/compare', 'application/x-ndjson')]) {
      const before = aborted();
      const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' }).on('error', () => undefined);
      socket.write(head);
      // By then it is a request, and its body is waited for.
      expect(String((await once(socket, 'data'))[0])).toContain('100 Continue');
      socket.resetAndDestroy();
      await waitUntil('it is told of', () => aborted() > before, { withinMs: 5_000 });
    }
    expect(service.logged.filter((line) => line.includes('"internal"'))).toEqual([]);
  });
});

describe('requests that cannot be read', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url);
  });
  afterAll(() => service.stop());

  it.each(['/v1/events', '/v1/queues/emails/pause', '/v1/reconciliations/compare'])('%s: compressed', async (path) => {
    const type = path.endsWith('compare') ? 'application/x-ndjson' : 'application/json';
    const answer = await service.call('POST', path, { body: '{"reason": "r"}', headers: { 'content-type': type, 'content-encoding': 'gzip' } });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(answer.body.detail).toContain('content-encoding "gzip"');
    expect((await service.get('/v1/quarantine')).body.items).toEqual([]);
  });

  it('of a content-type that is none', async () => {
    const answer = await service.call('POST', '/v1/events', { body: '{}', headers: { 'content-type': 'x' } });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it.each(['/v1/jobs?queue=%00', '/v1/jobs?worker=a%00', '/v1/shadow-report?queue=%00', '/v1/queues?namespace=%00'])('%s: a NUL', async (path) => {
    const answer = await service.get(path);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid' } });
    expect(answer.body.errors[0]?.rule).toContain('NUL');
  });

  it.each([
    ['PUT', '/v1/queues/emails/levels', { action: 'retry', level: 'observe', reason: 'a\0b' }, 'reason'],
    ['POST', '/v1/queues/emails/pause', { reason: '\0' }, 'reason'],
    ['POST', '/v1/queues/emails/jobs/j/claims', { claimId: 'c', worker: { id: 'w\0' } }, 'worker/id'],
  ])('%s %s: a NUL in the body', async (method, path, body, field) => {
    const answer = await service.call(method, path, { body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid', errors: [{ field }] } });
    expect(answer.body.errors[0]?.rule).toContain('NUL');
  });

  it('however deep what they also hold nests', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect((await service.call('POST', '/v1/queues/emails/pause', { body: `{"reason": "r", "more": ${deep}}` })).status).toBe(200);
  });
});
