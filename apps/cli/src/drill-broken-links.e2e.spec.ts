import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { createTestDatabase, freePort } from '#libs/testing';
import { cli, service, type CliRun } from './cli.fixture.js';
import type { DrillReport } from './drill/links.js';

/** Links that are broken one at a time, each with what to do about it. */
describe('a drill', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const serviceOf = async (env: Readonly<Record<string, string>> = {}, prepare: (client: pg.Client) => Promise<unknown> = () => Promise.resolve()): Promise<string> => {
    const database = await createTestDatabase();
    ends.push(() => database.drop());
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await prepare(client);
    await client.end();
    const running = await service({ JOBWARDEN_DATABASE_URL: database.url, ...env });
    ends.push(() => running.process.stop());
    return running.url;
  };
  const drill = async (url: string, ...args: readonly string[]): Promise<CliRun> => await cli(['drill', '--url', url, '--json', ...args]);
  const linksOf = (ran: CliRun) => Object.fromEntries((JSON.parse(ran.stdout) as DrillReport).links.map(({ link, state, says, mend }) => [link, { state, says, mend }]));
  const openOnes = async (url: string) => ((await (await fetch(`${url}/v1/incidents?status=open`)).json()) as { items: readonly unknown[] }).items;

  it('names the maintenance window that silences an alert, and tries nothing that stands on its incident', async () => {
    const url = await serviceOf();
    const body = JSON.stringify({ everywhere: true, for: '1h', reason: 'we move the database' });
    expect((await fetch(`${url}/v1/maintenance`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status).toBe(201);
    const ran = await drill(url);
    expect(linksOf(ran)).toMatchObject({
      verdict: { state: 'ok' },
      signal: { state: 'broken', says: 'a maintenance window silences it', mend: 'A real alert would be silenced as well: jobwarden maintenance lists the windows.' },
      incident: { state: 'left-out' },
      end: { state: 'left-out' },
      'clean-up': { state: 'ok' },
    });
    expect([ran.code, await openOnes(url)]).toEqual([1, []]);
  }, 90_000);

  it('says that no replica works: nobody notices the silent worker, and nobody takes the signal up', async () => {
    const url = await serviceOf({ JOBWARDEN_ROLES: 'api' });
    const ran = await drill(url, '--timeout', '6s', '--stuck-notice');
    const mend = expect.stringContaining('Does a replica of the role work run') as string;
    expect(linksOf(ran)).toMatchObject({
      log: { state: 'ok' },
      verdict: { state: 'broken', says: 'nobody has noticed that the worker is silent', mend },
      metrics: { state: 'left-out' },
      alert: { state: 'ok' },
      signal: { state: 'broken', says: 'nobody has taken it up', mend },
      'stuck notice': { state: 'left-out', says: 'a link before it is broken' },
      'clean-up': { state: 'ok' },
    });
    expect(ran.code).toBe(1);
  }, 90_000);

  it('says that a verdict never comes where the clock stands, and tries the alert all the same', async () => {
    const url = await serviceOf({}, (client) => client.query(`UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = 1800000000000`));
    const ran = await drill(url, '--timeout', '6s');
    expect(linksOf(ran)).toMatchObject({
      verdict: { state: 'broken', mend: expect.stringContaining('is the clock a real one?') as string },
      metrics: { state: 'left-out' },
      incident: { state: 'ok' },
      'clean-up': { state: 'ok' },
    });
    expect(ran.code).toBe(1);
  }, 90_000);

  it('sees that a proxy holds the stream back while everything else works', async () => {
    const url = await serviceOf();
    const held: string[] = [];
    const proxy = await holding(url, '/v1/streams/', held);
    ends.push(() => closed(proxy));
    const ran = await drill(`http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`, '--timeout', '6s');
    const { stream, ...others } = linksOf(ran);
    expect(stream).toMatchObject({ state: 'broken', says: 'GET /v1/streams/incidents has not told it', mend: expect.stringContaining('Does a proxy hold answers back?') as string });
    expect([held.length, Object.values(others).filter(({ state }) => state === 'broken'), ran.code]).toEqual([1, [], 1]);
  }, 90_000);

  it.each([
    [['--prometheus', 'localhost:9090'], '--prometheus must be an http(s) address'],
    [['--alertmanager', 'http://ada:secret@127.0.0.1:9093'], '--alertmanager must hold no user and no password'],
    [['--alertmanager', 'http://127.0.0.1:9093', '--alertmanager-token-env', 'NOT_SET'], '--alertmanager-token-env: the variable NOT_SET is not set'],
    [['--prometheus-token-env', 'TOKEN'], '--prometheus-token-env belongs to --prometheus, which is missing'],
  ])('is refused with %j', async (args, said) => {
    const ran = await drill('http://127.0.0.1:1', ...args);
    expect([ran.code, ran.stdout, ran.stderr.startsWith(said), ran.stderr.includes('secret')]).toEqual([2, '', true, false]);
  });

  it('says of a Prometheus and an Alertmanager that do not answer where it looked, and does the rest', async () => {
    const url = await serviceOf();
    const nobody = `127.0.0.1:${String(await freePort())}`;
    const ran = await drill(url, '--prometheus', `http://${nobody}`, '--alertmanager', `http://${nobody}`, '--timeout', '4s');
    const gone = { state: 'broken', says: `${nobody} does not answer: ECONNREFUSED` };
    const links = linksOf(ran);
    expect(links).toMatchObject({ scrape: gone, rules: gone, alerting: gone, alertmanager: gone, query: { state: 'left-out' }, alert: { state: 'left-out' }, route: { state: 'left-out' }, signal: { state: 'left-out' } });
    expect([links['scrape']?.mend, links['alertmanager']?.mend]).toEqual(['prometheus', 'alertmanager'].map((of) => `Is it running there, and may this machine reach it? See --${of}.`));
    expect([links['verdict']?.state, links['clean-up']?.state, ran.code]).toEqual(['ok', 'ok', 1]);
  }, 90_000);
});

/** Hands everything on but what lies below `path`: that is taken and never answered. */
async function holding(url: string, path: string, held: string[]): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith(path) === true) {
      held.push(incoming.url);
      return;
    }
    const handed = request(new URL(incoming.url ?? '/', url), { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    handed.on('error', () => outgoing.destroy());
    incoming.pipe(handed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
