import { readFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer } from 'node:tls';

export interface TlsProxy {
  /** `https://127.0.0.1:…` */
  readonly url: string;
  close(): Promise<void>;
}

/** TLS in front of a service that speaks none, as a load balancer ends it. `pem`: key and chain in one file. */
export async function tlsProxy(pem: string, service: URL): Promise<TlsProxy> {
  const material = readFileSync(pem);
  const open = new Set<Socket>();
  const server = createServer({ key: material, cert: material }, (secure) => {
    const plain = connect(Number(service.port), service.hostname);
    for (const [from, to] of [[secure, plain], [plain, secure]] as const) {
      open.add(from);
      from.on('error', () => to.destroy()).on('close', () => open.delete(from));
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
