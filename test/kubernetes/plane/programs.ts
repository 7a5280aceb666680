// kube-apiserver, kube-controller-manager and kubectl, built once for each content of control-plane/ and kept outside of the repository: with an empty build
// cache it takes about five minutes. They are built beside their place and renamed into it, so a folder that is there is whole.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// Compiled or not, the sources of Go lie in the repository.
const root = join(import.meta.dirname, '../../..').replace(/[\\/]dist$/, '');
const sources = join(root, 'test/kubernetes/control-plane');
const VERSION = { major: '1', minor: '34', whole: 'v1.34.4' };
const PROGRAMS = ['kube-apiserver', 'kube-controller-manager', 'kubectl'] as const;
const TELL_EVERY_MS = 20_000;

export interface ControlPlanePrograms {
  readonly apiserver: string;
  readonly controllerManager: string;
  readonly kubectl: string;
}

export interface BuildOptions {
  /** Told what is going on, a line at a time, since it is long. */
  readonly tell: (line: string) => void;
}

/** Builds them where they are missing. Of two at once the second waits for the first. @throws with Go's output. */
export async function controlPlanePrograms({ tell }: BuildOptions): Promise<ControlPlanePrograms> {
  const folder = programsFolder();
  if (!existsSync(folder)) await withLock(`${folder}.lock`, tell, () => (existsSync(folder) ? Promise.resolve() : build(folder, tell)));
  const [apiserver, controllerManager, kubectl] = PROGRAMS.map((program) => join(folder, program)) as [string, string, string];
  return { apiserver, controllerManager, kubectl };
}

function programsFolder(): string {
  const hash = createHash('sha256');
  const files = ['go.mod', 'go.sum', ...PROGRAMS.map((program) => join('cmd', program, 'main.go'))];
  for (const file of files) hash.update(readFileSync(join(sources, file)));
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  mkdirSync(join(cache, 'jobwarden'), { recursive: true });
  return join(cache, 'jobwarden', `kubernetes-${VERSION.whole.slice(1)}-${hash.digest('hex').slice(0, 12)}`);
}

async function build(folder: string, tell: (line: string) => void): Promise<void> {
  const unfinished = `${folder}.building`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const begun = Date.now();
  const told = setInterval(() => tell(`still building Kubernetes ${VERSION.whole} (${seconds(begun)} s)`), TELL_EVERY_MS);
  try {
    for (const program of PROGRAMS) {
      tell(`building ${program} ${VERSION.whole}, once: minutes with an empty cache`);
      await goBuild(program, join(unfinished, program));
    }
    renameSync(unfinished, folder);
    tell(`built in ${seconds(begun)} s`);
  } finally {
    clearInterval(told);
    rmSync(unfinished, { recursive: true, force: true });
  }
}

const seconds = (since: number) => String(Math.round((Date.now() - since) / 1_000));

/** Without the version the server calls itself v0.0.0. */
async function goBuild(program: string, to: string): Promise<void> {
  const pack = 'k8s.io/component-base/version';
  const set = { gitVersion: VERSION.whole, gitMajor: VERSION.major, gitMinor: VERSION.minor };
  const flags = ['-s', '-w', ...Object.entries(set).flatMap(([name, value]) => ['-X', `${pack}.${name}=${value}`])].join(' ');
  const env = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false' };
  // Everything else that runs meanwhile comes first.
  const args = ['-n', '10', 'go', 'build', '-trimpath', '-ldflags', flags, '-o', to, `./cmd/${program}`];
  const go = spawn('nice', args, { cwd: sources, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [go.stdout, go.stderr]) stream.on('data', (chunk: Buffer) => (said = `${said}${String(chunk)}`.slice(-8_000)));
  const [code] = (await once(go, 'close')) as [number | null];
  if (code !== 0) throw new Error(`Go could not build ${program} (code ${String(code)}):\n${said.trim()}`);
}

async function withLock(file: string, tell: (line: string) => void, work: () => Promise<void>): Promise<void> {
  let told = false;
  for (;;) {
    if (tryLock(file)) break;
    if (!holderLives(file)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!told) tell('another process builds Kubernetes; waiting for it');
    told = true;
    await delay(1_000);
  }
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file: string): boolean {
  try {
    const handle = openSync(file, 'wx');
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function holderLives(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
