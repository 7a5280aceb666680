// The data folder and its password. A cluster is made beside its place and renamed into it, so a folder with
// a PG_VERSION is always a whole one, however the making was interrupted.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { chooseAccount, cleanEnvironment, type Account } from './account.js';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';
import { takeBack } from './take-back.js';

export const superuser = 'postgres';
/** The database made for the application, beside the server's own `postgres`. */
export const database = 'jobwarden';

export interface Cluster {
  readonly dataDir: string;
  readonly binaries: Binaries;
  readonly account: Account;
  readonly password: string;
}

/** Opens the cluster in `dataDir`, and makes it first if there is none. The caller holds the folder's lock. */
export async function openCluster(dataDir: string, binaries: Binaries, fast: boolean): Promise<Cluster> {
  const made = existsSync(join(dataDir, 'PG_VERSION'));
  if (!made) await makeCluster(dataDir, binaries, fast);
  const account = chooseAccount(dataDir, binaries);
  takeBack(dataDir, account);
  const password = readPassword(dataDir) ?? (await setNewPassword({ dataDir, binaries, account }));
  return { dataDir, binaries, account, password };
}

async function makeCluster(dataDir: string, binaries: Binaries, fast: boolean): Promise<void> {
  const unfinished = `${dataDir}.new`;
  const passwordFile = `${unfinished}.password`;
  refuseForeignFolder(dataDir);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const account = chooseAccount(unfinished, binaries);
  const password = newPassword();
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account.owner) chownSync(passwordFile, account.owner.uid, account.owner.gid);
  try {
    await run(account, binaries.initdb, [
      ...['-D', unfinished, `--username=${superuser}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      // Without these the encoding follows LANG; with LANG unset it would be SQL_ASCII.
      ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
      ...['--no-instructions', ...(fast ? ['--no-sync'] : [])],
    ]);
    const cluster = { dataDir: unfinished, binaries, account };
    await runSingleUser(cluster, `create database ${database}`);
    savePassword(dataDir, password);
    renameSync(unfinished, dataDir);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function refuseForeignFolder(dataDir: string): void {
  try {
    if (readdirSync(dataDir).length === 0) return;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new EmbeddedPostgresError(`The data folder ${dataDir} cannot be read. Does it belong to another user?`, {
      cause,
    });
  }
  throw new EmbeddedPostgresError(`The data folder ${dataDir} is not empty and holds no database. Choose another one.`);
}

/** The password file is gone: its folder is ours, so we may give the superuser another one. */
async function setNewPassword(cluster: Omit<Cluster, 'password'>): Promise<string> {
  const password = newPassword();
  await runSingleUser(cluster, `alter role ${superuser} password '${password}'`);
  savePassword(cluster.dataDir, password);
  return password;
}

/** One statement without a server: no port is open and no password asked. */
async function runSingleUser({ dataDir, binaries, account }: Omit<Cluster, 'password'>, statement: string) {
  await run(account, binaries.postgres, ['--single', '-D', dataDir, '-c', 'exit_on_error=on', 'postgres'], statement);
}

function run(account: Account, program: string, args: readonly string[], input = ''): Promise<void> {
  const [command = program, ...rest] = [...account.prefix, program, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { ...account.identity, cwd: '/', env: cleanEnvironment });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new EmbeddedPostgresError(`${basename(program)} failed (code ${String(code)}):\n${output.trim()}`));
    });
    child.stdin.on('error', () => undefined); // it ended early; its exit code says so
    child.stdin.end(input === '' ? '' : `${input}\n`);
  });
}

const newPassword = () => randomBytes(24).toString('base64url');

/** Beside the data folder, not in it: the folder may belong to another account. */
const passwordFileOf = (dataDir: string) => join(dirname(dataDir), `${basename(dataDir)}.password`);

function readPassword(dataDir: string): string | undefined {
  const file = passwordFileOf(dataDir);
  const password = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return password === '' ? undefined : password;
}

function savePassword(dataDir: string, password: string): void {
  const file = passwordFileOf(dataDir);
  rmSync(`${file}.new`, { force: true }); // an old one would keep its mode
  writeFileSync(`${file}.new`, `${password}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
