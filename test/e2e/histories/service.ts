import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The shipped service with the manual clock, on an embedded database unless it is given one, as a stranger would make it: by the command line
 * tool and environment variables. Nothing here knows the source.
 */
const root = join(import.meta.dirname, '../../..');
const cli = join(root, 'dist/apps/cli/src/main.js');
const server = join(root, 'dist/apps/server/src/main.js');

export interface Service {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startService(policy: string, settings: Readonly<Record<string, string>> = {}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-history-'));
  const config = join(folder, 'policy.yaml');
  writeFileSync(config, policy);
  const port = await freePort();
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    JOBWARDEN_DATA_DIR: join(folder, 'data'),
    JOBWARDEN_CONFIG: config,
    JOBWARDEN_HTTP_PORT: String(port),
    JOBWARDEN_LOG_LEVEL: 'warn',
    ...settings,
  };
  await run(spawn(process.execPath, [cli, 'migrate', '--clock', 'manual'], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  const child = spawn(process.execPath, [server], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = collect(child);
  const url = `http://127.0.0.1:${String(port)}`;
  await ready(url, child, output);
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
      if (child.exitCode !== 0) throw new Error(`the service ended with ${String(child.exitCode)}:\n${output()}`);
    },
  };
}

async function run(child: ChildProcess): Promise<void> {
  const output = collect(child);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`migrate ended with ${String(code)}:\n${output()}`);
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += String(chunk)));
  return () => text;
}

async function ready(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok === true) return;
    await delay(50);
  }
  child.kill('SIGKILL');
  throw new Error(`the service did not become ready:\n${output()}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
