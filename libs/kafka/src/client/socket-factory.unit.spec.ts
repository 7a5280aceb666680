import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { socketFactory } from './socket-factory.js';

/** Nobody listens there. */
const AWAY = { host: '127.0.0.1', port: 9 };

it('a socket that has been closed keeps no wish to be let go of', async () => {
  const socket = socketFactory({ ...AWAY, ssl: undefined as never, onConnect: () => undefined });
  await once(socket, 'error');
  const before = socket.listenerCount('connect');
  for (let i = 0; i < 20; i += 1) socket.unref();
  expect(socket.listenerCount('connect')).toBe(before);
});

it('would keep each of them: Node waits for it to connect', async () => {
  const socket = connect(AWAY);
  await once(socket, 'error');
  for (let i = 0; i < 5; i += 1) socket.unref();
  expect(socket.listenerCount('connect')).toBe(5);
});
