// Programs of others that the tests need and npm cannot bring, built by Go from a module of ours, once for each content of it, and kept outside
// of the repository. They are built beside their place and renamed into it, so a folder that is there is whole.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// Compiled or not, the sources of Go lie in the repository.
const root = join(import.meta.dirname, '../../..').replace(/[\\/]dist$/, '');
const TELL_EVERY_MS = 20_000;

export interface GoModule {
  /** For people. */
  readonly title: string;
  /** What its folder in the cache begins with. */
  readonly name: string;
  /** Where go.mod lies, from the root of the repository. */
  readonly sources: string;
  /** By the name of the file that is built. */
  readonly programs: readonly GoProgram[];
}

export interface GoProgram {
  readonly name: string;
  /** Default: `./cmd/<name>`, of our own. */
  readonly pack?: string;
  /** Variables of packages that the linker sets, such as a version. */
  readonly set?: Readonly<Record<string, string>>;
}

export interface BuildOptions {
  /** Told what is going on, a line at a time, since it is long. */
  readonly tell: (line: string) => void;
}

/** The folder with them. Builds them where they are missing; of two at once the second waits for the first. @throws with Go's output. */
export async function goPrograms(module: GoModule, { tell }: BuildOptions): Promise<string> {
  const folder = programsFolder(module);
  if (!existsSync(folder)) await withLock(`${folder}.lock`, () => tell(`another process builds ${module.title}; waiting for it`), () => (existsSync(folder) ? Promise.resolve() : build(module, folder, tell)));
  return folder;
}

function programsFolder({ name, sources, programs }: GoModule): string {
  const hash = createHash('sha256');
  const mains = programs.filter(({ pack }) => pack === undefined).map((program) => join('cmd', program.name, 'main.go'));
  for (const file of ['go.mod', 'go.sum', ...mains]) hash.update(readFileSync(join(root, sources, file)));
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  mkdirSync(join(cache, 'jobwarden'), { recursive: true });
  return join(cache, 'jobwarden', `${name}-${hash.digest('hex').slice(0, 12)}`);
}

async function build({ title, sources, programs }: GoModule, folder: string, tell: (line: string) => void): Promise<void> {
  const unfinished = `${folder}.building`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const begun = Date.now();
  const told = setInterval(() => tell(`still building ${title} (${seconds(begun)} s)`), TELL_EVERY_MS);
  try {
    for (const program of programs) {
      tell(`building ${program.name} of ${title}, once: minutes with an empty cache`);
      await goBuild(program, { cwd: join(root, sources), to: join(unfinished, program.name) });
    }
    renameSync(unfinished, folder);
    tell(`built in ${seconds(begun)} s`);
  } finally {
    clearInterval(told);
    rmSync(unfinished, { recursive: true, force: true });
  }
}

const seconds = (since: number) => String(Math.round((Date.now() - since) / 1_000));

async function goBuild({ name, pack = `./cmd/${name}`, set = {} }: GoProgram, { cwd, to }: { readonly cwd: string; readonly to: string }): Promise<void> {
  const flags = ['-s', '-w', ...Object.entries(set).flatMap(([variable, value]) => ['-X', `${variable}=${value}`])].join(' ');
  const env = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false' };
  // Everything else that runs meanwhile comes first.
  const args = ['-n', '10', 'go', 'build', '-trimpath', '-ldflags', flags, '-o', to, pack];
  const go = spawn('nice', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [go.stdout, go.stderr]) stream.on('data', (chunk: Buffer) => (said = `${said}${String(chunk)}`.slice(-8_000)));
  const [code] = (await once(go, 'close')) as [number | null];
  if (code !== 0) throw new Error(`Go could not build ${name} (code ${String(code)}):\n${said.trim()}`);
}

async function withLock(file: string, tellWaiting: () => void, work: () => Promise<void>): Promise<void> {
  let told = false;
  for (;;) {
    if (tryLock(file)) break;
    if (!holderLives(file)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!told) tellWaiting();
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
