import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answer = (request: Received, response: ServerResponse, nth: number) => void;

/** A real HTTP server that remembers what it got. */
export class Receiver {
  readonly received: Received[] = [];
  url = '';
  private readonly server: Server;

  private constructor(private answer: Answer) {
    this.server = createServer((request, response) => void this.take(request, response));
  }

  static async start(answer: Answer = (_, response) => response.writeHead(204).end()): Promise<Receiver> {
    const receiver = new Receiver(answer);
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    receiver.url = `http://127.0.0.1:${String((receiver.server.address() as AddressInfo).port)}/hook`;
    return receiver;
  }

  get ids(): string[] {
    return this.received.map((r) => r.headers['webhook-id'] ?? '');
  }

  /** From now on. */
  answers(answer: Answer): void {
    this.answer = answer;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = request.headers as Record<string, string>;
    const got = { path: request.url ?? '', headers, body: Buffer.concat(chunks).toString('utf8') };
    this.received.push(got);
    this.answer(got, response, this.received.length);
  }
}
