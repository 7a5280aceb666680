import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Two webhooks of one machine: what comes to `/taken` is acknowledged; `/refused` answers 503 until it is mended. */
export class IncidentReceiver {
  private mended = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<IncidentReceiver> {
    const server = createServer();
    const receiver = new IncidentReceiver(server);
    server.on('request', (request, answer) => {
      request.resume();
      request.on('end', () => answer.writeHead(request.url === '/taken' || receiver.mended ? 204 : 503).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    return receiver;
  }

  /** As the policy file names them. Two hosts, so that one can tell them apart. */
  get webhooks(): string {
    const { port } = this.server.address() as AddressInfo;
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const at = (host: string, path: string) => `  - {url: "http://${host}:${String(port)}/${path}", secret: "${secret}", events: [incidents]}`;
    return ['webhooks:', at('127.0.0.1', 'taken'), at('localhost', 'refused')].join('\n');
  }

  mend(): void {
    this.mended = true;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
