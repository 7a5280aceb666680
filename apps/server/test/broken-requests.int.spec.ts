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
});
