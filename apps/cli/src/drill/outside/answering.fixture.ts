import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answering {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AnsweringServer {
  readonly url: string;
  /** Method and path of each call. */
  readonly calls: readonly string[];
  close(): Promise<void>;
}

/** A server of somebody else's that answers as told. */
export async function answering(answer: (path: string, method: string) => Answering): Promise<AnsweringServer> {
  const calls: string[] = [];
  const server = createServer(({ url = '/', method = 'GET' }, outgoing) => {
    const { pathname } = new URL(url, 'http://any');
    calls.push(`${method} ${pathname}`);
    const { status, body, headers = {} } = answer(pathname, method);
    outgoing.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, calls, close };
}
