import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Lets work go on when as many wait as there are members: each of them holds one, and none of them gets more for being quicker. */
export class HeldWork {
  private waiting: ServerResponse[] = [];

  private constructor(private readonly server: Server) {}

  static async start(members: number): Promise<HeldWork> {
    const server = createServer((_, response) => {
      held.waiting.push(response);
      if (held.waiting.length < members) return;
      for (const one of held.waiting.splice(0)) one.end();
    });
    const held = new HeldWork(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return held;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async stop(): Promise<void> {
    for (const one of this.waiting.splice(0)) one.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
