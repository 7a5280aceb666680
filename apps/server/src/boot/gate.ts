import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { PROBLEM_TYPE, Problem } from '../http/problem.js';
import type { RequestHandler } from '../http/build-app.js';
import type { Lifecycle } from './lifecycle.js';

/** A sender that takes longer to send its request holds the watermark of the HTTP lane back for nothing. */
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;
/** A job's names, percent-encoded, may stand in path or query beside a token. */
const MAX_HEADER_BYTES = 32_768;

/** From the end's beginning to the last new connection: the time in which who sends learns that we are not ready. */
const LINGER_MS = 250;
/** Turns of the event loop in which nothing new was read, after which nothing is left to read. */
const QUIET_TURNS = 3;
/** A busy service never falls quiet: new requests come on connections that stay open until the end. */
const MOST_TURNS = 50;

/**
 * The listening socket, from the first moment to the last. It answers probes while everything behind it still starts,
 * and hands requests to the application once that is there:
 *
 *   listening: probes only ──use()──► serving ──close()──► lingering ──► no new connections ──► none left
 *
 * So an orchestrator sees a living process while a long migration runs, and a taken port is known before anything else
 * has been started.
 */
export class Gate {
  private handler: RequestHandler;
  private closing: Promise<void> | null = null;
  /** Connections that have not asked for anything yet, as a browser opens them ahead: Node does not count them idle. */
  private readonly silent = new Set<Socket>();
  /** Connections and requests so far. */
  private arrived = 0;
  /** Where it listens, with the port that it got. */
  url = '';

  private constructor(
    readonly server: Server,
    lifecycle: Lifecycle,
  ) {
    this.handler = (request, response) => early(lifecycle, request, response);
    server.on('connection', (socket: Socket) => {
      this.arrived += 1;
      this.silent.add(socket);
      socket.once('close', () => this.silent.delete(socket));
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.arrived += 1;
      this.silent.delete(request.socket);
      this.handler(request, response);
    });
  }

  /** Rejects with Node's own error when the address cannot be taken. */
  static async open(address: { readonly host: string; readonly port: number }, lifecycle: Lifecycle): Promise<Gate> {
    const server = createServer({
      requestTimeout: REQUEST_MS,
      headersTimeout: HEADERS_MS,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: 72_000,
    });
    const gate = new Gate(server, lifecycle);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address.port, address.host, () => {
        server.off('error', reject);
        gate.url = urlOf(server.address() as AddressInfo);
        resolve();
      });
    });
    return gate;
  }

  /** From here on the application answers. */
  use(handler: RequestHandler): void {
    this.handler = handler;
  }

  /**
   * Answers what is already on its way to us for a moment more, then takes no new connections, waits for the answers
   * under way, and gives up on those after `graceMs`.
   */
  close(graceMs: number): Promise<void> {
    this.closing ??= this.drain(graceMs);
    return this.closing;
  }

  private async drain(graceMs: number): Promise<void> {
    // What was sent before anybody could know of the end would otherwise be reset unread, with connections still idle.
    await delay(LINGER_MS);
    await this.read();
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    for (const socket of this.silent) socket.destroy();
    const over = new AbortController();
    // A connection that falls idle after its answer would be kept for its keep-alive time.
    const sweep = setInterval(() => this.server.closeIdleConnections(), 50);
    const late = delay(graceMs, undefined, { signal: over.signal }).then(
      () => this.server.closeAllConnections(),
      () => undefined,
    );
    await closed;
    clearInterval(sweep);
    over.abort();
    await late;
  }

  /** In a process that was kept busy the time is over before what came in it has been read: reads that, too. */
  private async read(): Promise<void> {
    for (let turns = 0, quiet = 0; turns < MOST_TURNS && quiet < QUIET_TURNS; turns += 1) {
      const before = this.arrived;
      await turn();
      quiet = this.arrived === before ? quiet + 1 : 0;
    }
  }
}

function urlOf({ address, port, family }: AddressInfo): string {
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${String(port)}`;
}

function early(lifecycle: Lifecycle, request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '/').split('?', 1)[0];
  if (path === '/healthz') {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end('{"status":"ok"}');
    return;
  }
  const { phase } = lifecycle;
  const problem = new Problem(503, phase, `The service is ${phase}; try again soon.`);
  response
    .writeHead(503, { 'content-type': PROBLEM_TYPE, 'retry-after': '1', connection: 'close' })
    .end(JSON.stringify(problem.body({ url: path ?? '/', id: 'starting' })));
}
