import { createServer, request as requestOf, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReceiver, nodeHandler } from '@jobwarden/webhook';
import { afterEach, describe, expect, it } from 'vitest';
import { command, newSecret, signed } from './signed.js';

const secret = newSecret();
const body = command('enqueue');

describe('a receiver behind node:http', () => {
  let server: Server | undefined;
  const got: string[] = [];
  const receiver = createReceiver({ secret, maxBodyBytes: 4_096, onEnqueue: ({ subject }) => void got.push(subject), logger: { info: () => undefined, warn: () => undefined } });
  const handle = nodeHandler(receiver);
  afterEach(async () => {
    got.length = 0;
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  async function serve(listener: RequestListener): Promise<string> {
    server = createServer(listener);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  }
  const post = async (url: string) => await fetch(url, { method: 'POST', body, headers: signed(body, { secret, atMs: Date.now() }) });
  const bytesOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat((await request.toArray()) as Buffer[]);

  it('takes the bytes as they came', async () => {
    const url = await serve((request, response) => void handle(request, response));
    expect((await post(url)).status).toBe(204);
    for (const method of ['GET', 'HEAD', 'TRACE', 'DELETE']) {
      expect(await new Promise((resolve) => requestOf(url, { method, agent: false }, ({ statusCode }) => resolve(statusCode)).end())).toBe(405);
    }
    expect(got).toEqual(['welcome-1']);
  });

  it('says so where a body parser was before it, and takes what that has kept', async () => {
    let keep = false;
    const url = await serve((request, response) => {
      void bytesOf(request).then(async (rawBody) => await handle(keep ? Object.assign(request, { rawBody }) : request, response));
    });
    const answer = await post(url);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([500, 'body_consumed']);
    keep = true;
    expect((await post(url)).status).toBe(204);
  });

  it('answers a body without end once it is too large', async () => {
    const url = await serve((request, response) => void handle(request, response));
    const sending = requestOf(url, { method: 'POST', headers: signed(body, { secret, atMs: Date.now() }) });
    sending.on('error', () => undefined);
    const status = new Promise((resolve) => sending.once('response', (response) => resolve(response.statusCode)));
    sending.write('x'.repeat(5_000));
    expect(await status).toBe(413);
    await new Promise((resolve) => sending.once('close', resolve));
  });
});
