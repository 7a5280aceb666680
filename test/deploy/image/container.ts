// The image's folder and its exact command, run as a container would run them where there is no engine.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '#libs/testing';
import { repository } from '../repository.js';
import type { ImageConfig } from './dockerfile.js';

const SCRIPT = join(repository, 'test/deploy/image/container.sh');
const UNSHARE = ['--mount', '--pid', '--fork', '--kill-child=KILL', '--propagation', 'private'];
const MISSING = 'The test of the image is left out: it needs root, and the right to make namespaces';

export interface ContainerOptions {
  readonly app: string;
  readonly config: ImageConfig;
  /** Default: the image's own. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folders by where they are mounted, read-only. */
  readonly mounts?: Readonly<Record<string, string>>;
}

export interface Container {
  output(): string;
  readonly ended: Promise<number | null>;
  hasEnded(): boolean;
  /** Of the kernel, of its first process: a field of /proc/PID/status. */
  status(field: string): string;
  /** To its first process, as an engine does. */
  send(signal: NodeJS.Signals): void;
  /** Harmless when it has ended. */
  kill(): Promise<void>;
}

/** For `describe.skipIf`; with CI=true nothing may be left out, and the tests fail. */
export function containersLeftOut(): boolean {
  if (spawnSync('unshare', [...UNSHARE, 'true'], { stdio: 'ignore' }).status === 0 && process.getuid?.() === 0) return false;
  if (process.env['CI'] !== 'true') process.stderr.write(`${MISSING}\n`);
  return process.env['CI'] !== 'true';
}

/** The caller ends it, also when its test fails. */
export async function startContainer({ app, config, command, env = {}, mounts = {} }: ContainerOptions): Promise<Container> {
  const root = mkdtempSync(join(tmpdir(), 'jobwarden-root-'));
  const variables = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const inside = ['/usr/bin/env', '-i', '-C', config.WorkingDir, ...variables, ...(command ?? [...(config.Entrypoint ?? []), ...config.Cmd])];
  const pairs = Object.entries(mounts).map(([target, source]) => `${source}:${target}`).join(',');
  const args = [...UNSHARE, 'sh', SCRIPT, root, app, process.execPath, config.User, pairs, ...inside];
  const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
  const ended = once(child, 'close').then(([code]) => {
    rmSync(root, { recursive: true, force: true });
    return code as number | null;
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const first = await firstProcess(child.pid ?? 0, hasEnded);
  return {
    output: () => said,
    ended,
    hasEnded,
    status: (field) => new RegExp(`^${field}:\\s*(.*)$`, 'mu').exec(readFileSync(`/proc/${String(first)}/status`, 'utf8'))?.[1] ?? '',
    send: (signal) => process.kill(first, signal),
    kill: async () => {
      if (!hasEnded()) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Process 1 of the namespace, by the number that it has outside. 0 when all was over before. */
async function firstProcess(unshare: number, hasEnded: () => boolean): Promise<number> {
  let found = '';
  const look = () => {
    if (hasEnded()) return true;
    found = readFileSync(`/proc/${String(unshare)}/task/${String(unshare)}/children`, 'utf8').trim();
    return found !== '';
  };
  await waitUntil('the first process of the container', () => Promise.resolve(look()), { withinMs: 10_000, everyMs: 5 });
  return Number(found);
}
