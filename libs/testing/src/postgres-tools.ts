// PostgreSQL as a distribution brings it, with its own tools for backups: npm brings a server, and none of these.
import { execFile, spawnSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from './free-port.js';
import { isContinuousBuild } from './kafka/missing.js';
import { waitUntil } from './poll.js';
import { startProgram, type ServerProgram } from './server-program.js';

/** The oldest that Jobwarden works with. */
const OLDEST = 15;
const TOOLS = ['initdb', 'postgres', 'pg_ctl', 'pg_dump', 'pg_restore', 'pg_basebackup', 'pg_isready', 'psql'] as const;
export type PostgresTool = (typeof TOOLS)[number];
const MISSING = `The tests with PostgreSQL's own tools are left out: they are missing. Debian: apt-get install postgresql`;
/** The server refuses to run as root. */
const NOBODY = 65_534;

/** For `describe.skipIf`; with CI=true nothing may be left out, and what needs the tools fails. */
export function postgresToolsLeftOut(): boolean {
  if (folderOfTools() !== null) return false;
  if (!isContinuousBuild()) process.stderr.write(`${MISSING}\n`);
  return !isContinuousBuild();
}

/** Of the newest installed version; Debian keeps them off the path. */
function folderOfTools(): string | null {
  const onPath = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const folders = [...globSync('/usr/lib/postgresql/*/bin').sort().reverse(), ...(onPath.status === 0 ? [onPath.stdout.trim()] : [])];
  return folders.find((folder) => TOOLS.every((tool) => existsSync(join(folder, tool))) && majorOf(join(folder, 'postgres')) >= OLDEST) ?? null;
}

function majorOf(postgres: string): number {
  return Number(/\) (\d+)/u.exec(spawnSync(postgres, ['--version'], { encoding: 'utf8' }).stdout)?.[1] ?? 0);
}

export interface ToolRun {
  readonly code: number;
  readonly output: string;
}

/** Runs one of the tools, as the user of the servers that these tests start. */
export async function postgresTool(tool: PostgresTool, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ToolRun> {
  const folder = folderOfTools();
  if (folder === null) throw new Error(MISSING);
  return await new Promise((resolve) => {
    execFile(join(folder, tool), [...args], { ...asNobody(), cwd: '/', env: { PATH: folder, LC_ALL: 'C', ...env }, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, output: `${stdout}${stderr}` });
    });
  });
}

/** A folder that such a server, and the tools, may write; whoever makes it removes it. */
export function postgresFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-pg-'));
  const { uid } = asNobody();
  if (uid !== undefined) chownSync(folder, uid, uid);
  return folder;
}

export interface PostgresServer {
  /** The superuser's, of the database `postgres`; local connections need no password. */
  readonly url: string;
  readonly port: number;
  said(): string;
  stop(): Promise<void>;
}

/** A server on a data folder: made anew where there is none, else as it lies there, such as a base backup. */
export async function startPostgres(data: string, settings: readonly string[] = []): Promise<PostgresServer> {
  if (!existsSync(join(data, 'PG_VERSION'))) {
    const made = await postgresTool('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions']);
    if (made.code !== 0) throw new Error(made.output);
  }
  const port = await freePort();
  const all = [`port=${String(port)}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=`, 'fsync=off', 'shared_buffers=32MB', 'max_connections=80', ...settings];
  const server = startProgram(join(folderOfTools() ?? '', 'postgres'), ['-D', data, ...all.flatMap((one) => ['-c', one])], {
    ...asNobody(),
    folder: join(dirname(data), 'none'),
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
  });
  await untilThere(server, port);
  const stop = async (): Promise<void> => {
    // Not waiting for clients, and writing what is to be archived.
    if (!server.hasEnded) await postgresTool('pg_ctl', ['stop', '-D', data, '-m', 'fast', '-s']);
    await server.stop();
  };
  return { url: `postgres://postgres@127.0.0.1:${String(port)}/postgres`, port, said: () => server.said(), stop };
}

async function untilThere(server: ServerProgram, port: number): Promise<void> {
  try {
    await waitUntil('the server takes connections', async () => {
      if (server.hasEnded) throw new Error('it has ended');
      return (await postgresTool('pg_isready', ['-q', '-h', '127.0.0.1', '-p', String(port)])).code === 0;
    }, { withinMs: 30_000 });
  } catch (error) {
    await server.stop();
    throw new Error(`PostgreSQL does not start; it said:\n${server.said()}`, { cause: error });
  }
}

function asNobody(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}
