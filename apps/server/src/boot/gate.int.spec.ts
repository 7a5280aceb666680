import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { Gate } from './gate.js';
import { Lifecycle } from './lifecycle.js';

/** Asks once it is told the port, and tells the answer's status or the error's code. */
const ASKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const net = require('node:net');
  const flag = new Int32Array(workerData.flag);
  const socket = net.connect(workerData.port, '127.0.0.1', () => {
    socket.write('GET /asked HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n', () => {
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    });
  });
  socket.once('data', (bytes) => parentPort.postMessage(String(bytes).split(' ')[1]));
  socket.once('error', (error) => parentPort.postMessage(error.code));
`;

describe('the end of the listening socket', () => {
  it('answers what was sent while the process was too busy to read it', async () => {
    const gate = await Gate.open({ host: '127.0.0.1', port: 0 }, new Lifecycle());
    gate.use((_request, response) => response.writeHead(204).end());
    const flag = new SharedArrayBuffer(4);
    const sent = new Int32Array(flag);
    const port = Number(new URL(gate.url).port);
    const closing = gate.close(5_000);
    const asker = new Worker(ASKER, { eval: true, workerData: { port, flag } });
    const told = new Promise((resolve) => asker.once('message', resolve));
    // The loop stands still until the request lies with the kernel and the time to linger is over.
    Atomics.wait(sent, 0, 0, 10_000);
    expect(Atomics.load(sent, 0)).toBe(1);
    Atomics.wait(sent, 0, 1, 400);
    expect(await told).toBe('204');
    await closing;
    await asker.terminate();
  });
});
