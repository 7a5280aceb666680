import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What `npm start` runs; these measurements are compiled beside it. */
const ENTRY = join(import.meta.dirname, '../../apps/server/src/main.js');
/** The flags of its Node, as `npm start` has them. */
const FLAGS = flagsOfStart(join(import.meta.dirname, '../../../package.json'));
const READY_MS = 60_000;

/** The shipped service as a process of its own, on a given database. */
export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  /** `nodeOptions`: such as `--cpu-prof`. */
  static async start(
    databaseUrl: string,
    settings: Readonly<Record<string, string>> = {},
    nodeOptions: readonly string[] = [],
  ): Promise<ServerProcess> {
    const port = await freePort();
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [...FLAGS, ...nodeOptions, ENTRY], {
      env: {
        PATH,
        HOME,
        NODE_ENV: 'production',
        JOBWARDEN_DATABASE_URL: databaseUrl,
        JOBWARDEN_HTTP_PORT: String(port),
        JOBWARDEN_LOG_LEVEL: 'warn',
        ...settings,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const server = new ServerProcess(child, port);
    try {
      await server.ready();
      return server;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resident memory, MiB. */
  get residentMiB(): number {
    return residentMiB(this.child.pid ?? 0);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }

  private async ready(): Promise<void> {
    const deadline = performance.now() + READY_MS;
    while (performance.now() < deadline) {
      if (this.child.exitCode !== null) throw new Error(`the service ended with code ${String(this.child.exitCode)}`);
      const answer = await fetch(`http://127.0.0.1:${String(this.port)}/readyz`).catch(() => null);
      await answer?.body?.cancel();
      if (answer?.ok === true) return;
      await delay(50);
    }
    throw new Error('the service did not become ready');
  }
}

function flagsOfStart(file: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { readonly scripts: { readonly start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

export function residentMiB(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim()) / 1_024;
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
}
