import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to the service that can be cut, with all that goes over it, and mended again, at the same address. */
export class CuttableProxy {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(target: string): Promise<CuttableProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer((incoming) => {
      const outgoing = connect(Number(port), hostname);
      for (const [one, other] of [[incoming, outgoing], [outgoing, incoming]] as const) {
        proxy.sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          proxy.sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    await listening(server, 0);
    const proxy = new CuttableProxy(server, `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    return proxy;
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  async mend(): Promise<void> {
    await listening(this.server, Number(new URL(this.url).port));
  }
}

async function listening(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
}
