import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as fixture from './embedded-postgres.fixture.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './index.js';
import { isAlive, processesIn } from './processes.js';

const { killHard, query, startHolder, until } = fixture;

let sources: ReturnType<typeof fixture.compiledSources>;
let prepared: Awaited<ReturnType<typeof fixture.preparedCluster>>;
let folder: string;
let dataDir: string;
let server: EmbeddedPostgres | undefined;

beforeAll(async () => {
  sources = fixture.compiledSources();
  prepared = await fixture.preparedCluster();
});
afterAll(() => {
  sources.remove();
  prepared.remove();
});
beforeEach(() => {
  folder = fixture.temporaryFolder();
  dataDir = join(folder, 'data');
  prepared.copyTo(folder);
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(log: string[] = []): Promise<EmbeddedPostgres> {
  server = await startEmbeddedPostgres({ dataDir, fast: true, log: (line) => log.push(line) });
  return server;
}

/** A process that holds a running server with one committed row. */
async function holderWithData(options: { path?: string } = {}) {
  const { child, answer } = await startHolder(sources.folder, dataDir, options);
  if (answer.url === undefined) throw new Error(answer.error);
  const { url, pid = 0 } = answer;
  await query(url, 'create table kept as select 42 as n');
  return { child, url, pid, nodePid: child.pid! };
}

async function expectDataKept(log: string[] = []) {
  expect(await query((await start(log)).url, 'select n from kept')).toEqual([{ n: 42 }]);
}

describe('a process that ends without stopping the server', () => {
  test('keeps its exit code, is not held up, and takes the server with it', async () => {
    const { child, answer } = await startHolder(sources.folder, dataDir, { mode: 'fail-without-stopping' });
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(7);
    await until('the server is gone', () => !isAlive(answer.pid!));
  });
});

describe.each([
  ['with setpriv', () => ({})],
  // A folder with everything but setpriv: the portable guard has to do.
  ['without setpriv', () => ({ path: fixture.pathWithoutSetpriv(folder) })],
  [
    'below a closed folder',
    () => {
      chmodSync(folder, 0o700);
      return {};
    },
  ],
])('kill -9 %s', (_, options: () => { path?: string }) => {
  test('of node shuts the server down cleanly, and the data is there at the next start', async () => {
    const { nodePid, pid } = await holderWithData(options());
    await killHard(nodePid);
    await until('the server is gone', () => !isAlive(pid));
    const log: string[] = [];
    await expectDataKept(log);
    expect(log.join('\n')).not.toContain('was not properly shut down');
  });

  test('of the server leaves a folder that the next start recovers', async () => {
    const { child, pid } = await holderWithData(options());
    await killHard(pid);
    child.stdin.end();
    await once(child, 'exit');
    const log: string[] = [];
    await expectDataKept(log);
    expect(log.join('\n')).toContain('was not properly shut down');
  });

  test('of both at once leaves a folder that the next start recovers', async () => {
    const { nodePid, pid } = await holderWithData(options());
    await Promise.all([killHard(pid), killHard(nodePid)]);
    await expectDataKept();
  });
});

test('a second process on the same folder is told the pid of the first', async () => {
  const { child, nodePid } = await holderWithData();
  const second = await startHolder(sources.folder, dataDir);
  expect(second.answer.error).toContain(`in use by process ${nodePid}`);
  await expect(start()).rejects.toMatchObject({ pid: nodePid });
  child.stdin.end();
  await once(child, 'exit');
  await expectDataKept();
});

test('a server that outlived its node is shut down before a new one starts', async () => {
  await (await start()).stop();
  const orphan = await fixture.startUnguarded(dataDir);
  await until('the orphan runs', () => orphan.log().includes('ready to accept connections'));
  const log: string[] = [];
  await start(log);
  expect(log.join('\n')).toContain(`shutting down the server of an earlier run, process ${orphan.pid}`);
  expect(isAlive(orphan.pid)).toBe(false);
});

describe('a pid file that names a living process which is no server', () => {
  test('of the same user does not stop the start', async () => {
    await (await start()).stop();
    const { uid, gid } = fixture.ownerOf(dataDir);
    const other = spawn('sleep', ['600'], { uid, gid });
    try {
      fixture.writePidFile(dataDir, other.pid!);
      await start();
      expect(isAlive(other.pid!)).toBe(true);
    } finally {
      other.kill('SIGKILL');
    }
  });

  test('which is a zombie does not stop the start', async () => {
    await (await start()).stop();
    // The child ends once its shell has become a program that never asks for it: a shell that it ended under would.
    const child = `until [ "$(cat /proc/$PPID/comm)" = sleep ]; do :; done`;
    const parent = spawn('sh', ['-c', `sh -c '${child}' & echo $!; exec sleep 600`], fixture.ownerOf(dataDir));
    try {
      const zombie = Number(String(((await once(parent.stdout, 'data')) as [Buffer])[0]));
      await until('it is a zombie', () => readFileSync(`/proc/${zombie}/stat`, 'utf8').includes(') Z '));
      fixture.writePidFile(dataDir, zombie);
      await start();
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

test('a busy backend that outlived its killed server is ended before the next one starts', async () => {
  const first = await start();
  const client = new pg.Client({ connectionString: first.url });
  client.on('error', () => undefined);
  await client.connect();
  const [row] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
  // It computes without ever looking up, so it does not notice that its server is gone.
  client.query('select count(*) from generate_series(1, 1000000000000)').catch(() => undefined);
  await until('it computes', () => readFileSync(`/proc/${row!.pid}/cmdline`, 'utf8').includes('SELECT'));
  // Its end gives the folder free; this process may hear of it later than it can be seen.
  const ended = new Promise((resolve) => first.onExit(resolve));
  await killHard(first.pid);
  await ended;
  expect(isAlive(row!.pid)).toBe(true);
  expect(processesIn(dataDir)).toContain(row!.pid);

  const log: string[] = [];
  await start(log);
  expect(log.join('\n')).toContain(`ending a process that outlived its server, ${row!.pid}`);
  expect(isAlive(row!.pid)).toBe(false);
});

test('a program that someone left in the data folder is not touched', async () => {
  await (await start()).stop();
  const shell = spawn('sleep', ['600'], { cwd: dataDir });
  try {
    await start();
    expect(isAlive(shell.pid!)).toBe(true);
  } finally {
    shell.kill('SIGKILL');
  }
});

test('a garbled pid file is left to PostgreSQL, which says what is wrong', async () => {
  await (await start()).stop();
  writeFileSync(join(dataDir, 'postmaster.pid'), 'garbage\n');
  await expect(start()).rejects.toThrow(/bogus data in lock file/);
});
