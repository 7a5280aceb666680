// A Redis of the tests: Debian's redis-server, which npm cannot bring.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { isContinuousBuild } from './kafka/missing.js';
import { waitUntil } from './poll.js';

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
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntil('Redis answers', async () => child.exitCode !== null || (await answersPing(port)), { withinMs: 10_000 });
    if (child.exitCode !== null) throw new Error(`it ended with ${String(child.exitCode)}`);
  } catch (error) {
    await stop();
    throw new Error(`Redis does not answer; it said:\n${said === '' ? MISSING : said}`, { cause: error });
  }
  return { port, url: `redis://127.0.0.1:${String(port)}`, stop };
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
