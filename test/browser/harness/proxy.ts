import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that knows who somebody is, and signs them in: it sets the token on everything, whatever the browser sends. */
export class AuthenticatingProxy {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(target: string, token: string): Promise<AuthenticatingProxy> {
    const server = createServer((incoming, answer) => {
      const passed = request(
        new URL(incoming.url ?? '/', target),
        { method: incoming.method, headers: { ...incoming.headers, authorization: `Bearer ${token}` } },
        (response) => {
          answer.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(answer);
        },
      );
      passed.on('error', () => answer.destroy());
      answer.on('close', () => passed.destroy());
      incoming.pipe(passed);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    return new AuthenticatingProxy(server, `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
