// A Redis of the tests: Debian's redis-server, which npm cannot bring.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { isContinuousBuild } from './kafka/missing.js';
import { waitUntil } from './poll.js';
import { startProgram } from './server-program.js';

const MISSING = 'The tests with Redis are left out: redis-server is missing. Debian: apt-get install redis-server';

/** For `describe.skipIf`; with CI=true nothing may be left out, and `startRedis` fails. */
export function redisLeftOut(): boolean {
  if (spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0) return false;
  if (!isContinuousBuild()) process.stderr.write(`${MISSING}\n`);
  return !isContinuousBuild();
}

export interface Redis {
  readonly port: number;
  /** `redis://127.0.0.1:…` */
  readonly url: string;
  /** Ends it as SIGTERM does, and removes its files. Idempotent. */
  stop(): Promise<void>;
}

export interface RedisOptions {
  /** Further settings, as on its command line: `['--maxmemory', '8mb']`. */
  readonly settings?: readonly string[];
}

/** An empty server of its own on a free port, in memory alone. @throws with what it said. The caller stops it, also when its test fails. */
export async function startRedis({ settings = [] }: RedisOptions = {}): Promise<Redis> {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-redis-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no', ...settings];
  const server = startProgram('redis-server', args, { folder });
  try {
    await waitUntil('Redis answers', async () => server.hasEnded || (await answersPing(port)), { withinMs: 10_000 });
    if (server.hasEnded) throw new Error('it ended');
  } catch (error) {
    await server.stop();
    throw new Error(`Redis does not answer; it said:\n${server.said() === '' ? MISSING : server.said()}`, { cause: error });
  }
  return { port, url: `redis://127.0.0.1:${String(port)}`, stop: () => server.stop() };
}

async function answersPing(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(String(answer).startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}
