// A pooler of the tests: Debian's PgBouncer in transaction mode, which npm cannot bring.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.js';
import { isContinuousBuild } from './kafka/missing.js';
import { waitUntil } from './poll.js';
import { startProgram } from './server-program.js';

/** Debian keeps it where an ordinary user's path does not lead. */
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`;
/** It refuses to run as root. */
const NOBODY = 65_534;
const MISSING = 'The tests with PgBouncer are left out: it is missing. Debian: apt-get install pgbouncer';

/** For `describe.skipIf`; with CI=true nothing may be left out, and `startPgBouncer` fails. */
export function pgBouncerLeftOut(): boolean {
  if (spawnSync('pgbouncer', ['--version'], { env: { PATH }, stdio: 'ignore' }).status === 0) return false;
  if (!isContinuousBuild()) process.stderr.write(`${MISSING}\n`);
  return !isContinuousBuild();
}

export interface PgBouncer {
  /** Of the same database, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  /** Of the database behind it. */
  readonly url: string;
  /** Connections of the server that all transactions share. */
  readonly poolSize: number;
  /** Further lines of its file. */
  readonly settings?: readonly string[];
}

/** @throws with what it said. The caller stops it, also when its test fails. */
export async function startPgBouncer({ url, poolSize, settings = [] }: PgBouncerOptions): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-pgbouncer-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, configuration(new URL(url), { port, poolSize, settings }), { mode: 0o600 });
  const asRoot = process.getuid?.() === 0;
  if (asRoot) for (const path of [folder, file]) chownSync(path, NOBODY, NOBODY);
  const server = startProgram('pgbouncer', [file], { folder, env: { PATH }, ...(asRoot && { uid: NOBODY, gid: NOBODY }) });
  const pooled = new URL(url);
  [pooled.hostname, pooled.port] = ['127.0.0.1', String(port)];
  try {
    await waitUntil('PgBouncer answers', () => answers(pooled.href), { withinMs: 10_000 });
  } catch (error) {
    await server.stop();
    throw new Error(`PgBouncer does not answer; it said:\n${server.said() === '' ? MISSING : server.said()}`, { cause: error });
  }
  return { url: pooled.href, stop: () => server.stop() };
}

function configuration(
  database: URL,
  { port, poolSize, settings }: { readonly port: number; readonly poolSize: number; readonly settings: readonly string[] },
): string {
  const name = database.pathname.slice(1);
  const user = `user=${database.username} password=${decodeURIComponent(database.password)}`;
  return `[databases]
${name} = host=${database.hostname} port=${database.port} dbname=${name} ${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(port)}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = ${String(poolSize)}
${settings.join('\n')}
`;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
