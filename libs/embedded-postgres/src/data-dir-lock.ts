// One Jobwarden per data folder. The lock is a listening local socket named after the folder: the kernel gives
// it up when its holder dies in whatever way, so there is no stale lock file and no reused pid to reason about;
// and whoever finds it taken can ask it for the holder's pid.
//
// Not covered: two containers that share the folder but neither network nor processes.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataDirInUseError } from './errors.js';

/** How long the holder may take to say its pid; it may be busy. */
const answerMs = 2_000;

export interface DataDirLock {
  /** Idempotent. */
  release(): void;
}

/** @throws DataDirInUseError with the pid of the holder. */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const address = socketAddress(dataDir);
  const server = (await listen(address)) ?? (await takeOver(address));
  if (typeof server === 'object') return { release: () => void server.close() };
  throw new DataDirInUseError(dataDir, server === 'silent' ? undefined : server);
}

function socketAddress(dataDir: string): string {
  const name = `jobwarden-${createHash('sha256').update(dataDir).digest('hex').slice(0, 32)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Undefined when the address is taken. */
function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((client) => {
      client.on('error', () => undefined);
      client.end(String(process.pid));
    });
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    // A lock keeps no process alive.
    server.listen(address, () => resolve(server.unref()));
  });
}

/**
 * The lock if its holder is gone (only a socket in the file system outlives it), else the holder's pid. A process that was
 * killed still takes connections until the last of its threads has ended, and drops them: it is waited for.
 */
async function takeOver(address: string): Promise<Server | number | 'silent'> {
  const deadline = performance.now() + answerMs;
  for (;;) {
    const holder = await askHolder(address);
    if (holder !== 'gone' && holder !== 'leaving') return holder;
    if (holder === 'gone' && !address.startsWith('\0')) rmSync(address, { force: true });
    const server = await listen(address);
    if (server !== undefined) return server;
    if (performance.now() > deadline) return 'silent';
    await delay(20);
  }
}

function askHolder(address: string): Promise<number | 'silent' | 'gone' | 'leaving'> {
  return new Promise((resolve) => {
    let answer = '';
    const client = connect(address);
    client.setTimeout(answerMs, () => {
      resolve('silent');
      client.destroy();
    });
    client.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? 'gone' : 'leaving'),
    );
    client.on('data', (chunk) => (answer += chunk.toString()));
    client.on('end', () => resolve(/^\d+$/.test(answer) ? Number(answer) : 'leaving'));
  });
}
