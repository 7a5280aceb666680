import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { killHard, preparedCluster, query, temporaryFolder, until } from './embedded-postgres.fixture.js';
import { startEmbeddedPostgres, superviseEmbeddedPostgres, type EmbeddedPostgres } from './index.js';
import { isAlive } from './processes.js';

let folder: string;
let dataDir: string;
const running = new Set<{ stop(): Promise<void> }>();

let prepared: Awaited<ReturnType<typeof preparedCluster>>;

beforeAll(async () => (prepared = await preparedCluster()));
afterAll(() => prepared.remove());
beforeEach(() => {
  folder = temporaryFolder();
  dataDir = join(folder, 'data');
  prepared.copyTo(folder);
});
afterEach(async () => {
  await Promise.all([...running].map((server) => server.stop()));
  running.clear();
  rmSync(folder, { recursive: true, force: true });
});

/** For the tests that watch how a cluster is made. */
function removeCluster(): void {
  for (const name of ['data', 'data.password']) rmSync(join(folder, name), { recursive: true });
}

async function start(options: { port?: number; log?: (line: string) => void } = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, fast: true, ...options });
  running.add(server);
  return server;
}

describe('a started server', () => {
  test('is PostgreSQL 18 in UTF-8, on the loopback address, with its own database', async () => {
    removeCluster();
    const { url, adminUrl } = await start();
    const [row] = await query(
      url,
      `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_encoding') as encoding,
         current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
         current_setting('TimeZone') as zone, datlocprovider as provider, datlocale as locale, current_database() as name
       from pg_database where datname = current_database()`,
    );
    expect(row).toEqual({
      ...{ major: 18, encoding: 'UTF8', addresses: '127.0.0.1', sockets: '', zone: 'UTC' },
      ...{ provider: 'b', locale: 'C.UTF-8', name: 'jobwarden' },
    });
    expect(await query(adminUrl, 'select current_database() as name')).toEqual([{ name: 'postgres' }]);
  });

  test('accepts nobody without the password, which only its owner can read', async () => {
    const { url } = await start();
    const wrong = new URL(url);
    wrong.password = 'guessed';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/);
    expect(statSync(join(folder, 'data.password')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  test('is safe against a crash unless it is told to be fast', async () => {
    const server = await startEmbeddedPostgres({ dataDir });
    running.add(server);
    const settings = `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('shared_buffers') as buffers, current_setting('max_wal_size') as wal,
      current_setting('max_connections') as connections`;
    expect(await query(server.url, settings)).toEqual([
      { fsync: 'on', commit: 'on', buffers: '128MB', wal: '1GB', connections: '100' },
    ]);
    await server.stop();
    expect(await query((await start()).url, settings)).toMatchObject([{ fsync: 'off', commit: 'off' }]);
  });

  test('keeps its data and its password from one start to the next', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as n');
    await first.stop();
    const second = await start();
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 42 }]);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
  });

  test('gets a new password when the file with the old one is lost', async () => {
    const first = await start();
    await first.stop();
    rmSync(join(folder, 'data.password'));
    const second = await start();
    expect(new URL(second.url).password).not.toBe(new URL(first.url).password);
    expect(await query(second.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  test('stops cleanly, as often as asked, and says nothing of an exit', async () => {
    const lines: string[] = [];
    const server = await start({ log: (line) => lines.push(line) });
    let exits = 0;
    server.onExit(() => exits++);
    const codeBefore = process.exitCode;
    const hooksBefore = process.listenerCount('exit') + process.listenerCount('beforeExit');
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    expect(lines.join('\n')).toContain('database system is shut down');
    expect([exits, process.exitCode]).toEqual([0, codeBefore]);
    expect(process.listenerCount('exit') + process.listenerCount('beforeExit')).toBe(hooksBefore);
  });

  test('stops while clients are in the middle of something', async () => {
    const server = await start();
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    const busy = client.query('select pg_sleep(600)').catch((error: unknown) => String(error));
    await server.stop();
    expect(await busy).toMatch(/terminat/);
  });

  test('tells who asked when it dies, also when asked afterwards', async () => {
    const server = await start();
    const told = new Promise((resolve) => server.onExit(resolve));
    await killHard(server.pid);
    expect(await told).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await new Promise((resolve) => server.onExit(resolve))).toEqual({ code: null, signal: 'SIGKILL' });
    await server.stop();
  });
});

describe('a start that cannot succeed', () => {
  test('names the process that holds the data folder', async () => {
    await start();
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
      name: 'DataDirInUseError',
      pid: process.pid,
      message: expect.stringContaining(`in use by process ${process.pid}`) as string,
    });
  });

  test('says that the port is taken, and leaves the folder free', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await until('the port is taken', () => squatter.listening);
    const { port } = squatter.address() as AddressInfo;
    await expect(start({ port })).rejects.toThrow(/could not bind IPv4 address "127.0.0.1"/);
    squatter.close();
    await until('the port is free', () => !squatter.listening);
    expect((await start({ port })).port).toBe(port);
  });

  test('refuses a folder that holds something else', async () => {
    removeCluster();
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'holiday.jpg'), '');
    await expect(start()).rejects.toThrow(/is not empty and holds no database/);
    expect(existsSync(join(dataDir, 'holiday.jpg'))).toBe(true);
  });

  test('shows what the server complained about', async () => {
    await (await start()).stop();
    writeFileSync(join(dataDir, 'postgresql.conf'), 'no_such_setting = 1\n');
    await expect(start()).rejects.toThrow(/did not start: code 1\.[\s\S]*unrecognized configuration parameter/);
  });
});

test('an interrupted creation is begun again', async () => {
  removeCluster();
  mkdirSync(`${dataDir}.new`);
  writeFileSync(join(`${dataDir}.new`, 'PG_VERSION'), '18\n');
  expect(await query((await start()).url, 'select 1 as n')).toEqual([{ n: 1 }]);
  expect(existsSync(`${dataDir}.new`)).toBe(false);
});

test.runIf(process.getuid?.() === 0)('root starts it below a folder that no one else can enter', async () => {
  removeCluster();
  chmodSync(folder, 0o700);
  const { url, pid } = await start();
  expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  expect(status).not.toMatch(/^Uid:\s+0\b/m);
});

test.runIf(process.getuid?.() === 0)('root starts it below an open folder without any capability', async () => {
  const reachable = spawnSync('sh', ['-c', `cd '${import.meta.dirname}'`], { uid: 65_534, gid: 65_534 }).status === 0;
  const { pid } = await start();
  const effective = /^CapEff:\s+(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  // A clone below a closed folder needs one capability to reach the program itself.
  expect(Number.parseInt(effective ?? '', 16) === 0).toBe(reachable);
});

describe('a supervised server', () => {
  test('comes back on the same port after it was killed, again and again, with what was committed', async () => {
    const seen: string[] = [];
    const server = await superviseEmbeddedPostgres({
      dataDir,
      firstPauseMs: 10,
      onDown: ({ signal }) => seen.push(`down ${String(signal)}`),
      onUp: (tries) => seen.push(`up ${tries}`),
    });
    running.add(server);
    await query(server.url, 'create table kept (n int)');
    for (const n of [1, 2, 3]) {
      await query(server.url, `insert into kept values (${n})`);
      await killHard(server.pid);
      await until('it is up again', () => seen.length === 2 * n);
    }
    expect(await query(server.url, 'select array_agg(n order by n) as all from kept')).toEqual([{ all: [1, 2, 3] }]);
    expect(seen.map((line) => line.split(' ')[0])).toEqual(Array(3).fill(['down', 'up']).flat());
  });

  test('goes on trying while it cannot start, comes back once the cause is mended, and can be stopped meanwhile', async () => {
    const configuration = join(dataDir, 'postgresql.conf');
    const good = readFileSync(configuration, 'utf8');
    const breakIt = () => writeFileSync(configuration, 'no_such_setting = 1\n');
    let failures = 0;
    let up = 0;
    const server = await superviseEmbeddedPostgres({
      ...{ dataDir, fast: true, firstPauseMs: 10, onDown: breakIt },
      onFailedTry: () => (failures += 1),
      onUp: () => (up += 1),
    });
    running.add(server);
    await killHard(server.pid);
    await until('two tries have failed', () => failures >= 2);
    writeFileSync(configuration, good);
    await until('it is up again', () => up === 1);
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }]);

    await killHard(server.pid);
    await until('another try has failed', () => failures >= 3);
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    writeFileSync(configuration, good);
    await (await start()).stop();
  });
});
