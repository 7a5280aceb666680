import { createServer, connect as connectTo, Socket, type AddressInfo, type Server } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { PgSchemaVersions } from './pg-schema-versions.js';

describe("a user's database that is asked for the version of its schema", () => {
  const database = useTestDatabase();
  let owner: pg.Client;
  const env: Record<string, string | undefined> = {};
  const versions = new PgSchemaVersions({ env });
  const ask = async (query: string, databaseUrlEnv = 'SHOP_DATABASE_URL') => await versions.ask({ databaseUrlEnv, query });
  const servers: Server[] = [];
  const held: Socket[] = [];
  /** The address of the same database behind a server of the test's own, which keeps its half of each connection. */
  const behind = async (accept: (socket: Socket) => void): Promise<string> => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      held.push(socket.on('error', () => undefined));
      accept(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(database.url);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return url.href;
  };
  beforeAll(async () => {
    env['SHOP_DATABASE_URL'] = database.url;
    owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    await owner.query('CREATE SCHEMA shop; CREATE TABLE shop.schema_migrations (version bigint); INSERT INTO shop.schema_migrations VALUES (38), (39)');
  });
  afterAll(async () => {
    for (const socket of held) socket.destroy();
    for (const server of servers) server.close();
    await owner.end();
  });

  it.each([
    ['SELECT max(version) FROM shop.schema_migrations', '39'],
    ['select 20260115093000::bigint', '20260115093000'],
    ["select ' 2.10.1 '", '2.10.1'],
    ['select 7::int', '7'],
  ])('answers %s with %s', async (query, version) => expect(await ask(query)).toEqual({ version }));

  it.each([
    ['SELECT version FROM shop.schema_migrations', 'answered more than one row, not one row of one value'],
    // More than can be sent in the time of an answer, or kept.
    ['SELECT generate_series(1, 2000000000)', 'answered more than one row'],
    ['SELECT 1, 2', 'answered one row of 2 values'],
    ['SELECT version FROM shop.schema_migrations WHERE false', 'answered no row'],
    ['SELECT max(version) FROM shop.schema_migrations WHERE false', 'answered null'],
    ["SELECT 'V39__orders'", '"V39__orders", which is no version'],
    ['SELECT * FROM shop.no_such_table', 'relation "shop.no_such_table" does not exist (42P01)'],
    ['INSERT INTO shop.schema_migrations VALUES (40) RETURNING version', 'cannot execute INSERT in a read-only transaction (25006)'],
    ['SELECT 1; COMMIT; INSERT INTO shop.schema_migrations VALUES (40)', 'cannot insert multiple commands into a prepared statement (42601)'],
    ['SELECT pg_sleep(30)::text', 'canceling statement due to statement timeout (57014)'],
  ])('says why %s is no version', async (query, why) => {
    expect(await ask(query)).toMatchObject({ unknown: expect.stringContaining(why) as string });
  });

  it.each([
    ['one value of 100 MB', `SELECT repeat('9', 100000000)`],
    ['a row of many values', `SELECT ${Array.from({ length: 100 }, () => `repeat('9', 1000000)`).join(', ')}`],
  ])('takes in no more than the beginning of %s, and says what to ask instead', async (_, query) => {
    const destroyed = vi.spyOn(Socket.prototype, 'destroy');
    try {
      expect(await ask(query)).toEqual({ unknown: expect.stringMatching(/^the query of SHOP_DATABASE_URL answered more than 64 kB.*select the version alone/u) as string });
      const received = Math.max(...destroyed.mock.contexts.map((socket) => (socket as Socket).bytesRead));
      expect(received).toBeGreaterThan(64_000);
      expect(received).toBeLessThan(1_000_000);
    } finally {
      destroyed.mockRestore();
    }
  });

  it('says so where it is not there, and tells no secret', async () => {
    env['AWAY_DATABASE_URL'] = 'postgres://shop:tr0ub4dor@127.0.0.1:9/shop';
    env['WRONG_DATABASE_URL'] = 'not an address: tr0ub4dor';
    expect(await ask('SELECT 1', 'NO_DATABASE_URL')).toEqual({ unknown: 'NO_DATABASE_URL is not set' });
    for (const name of ['AWAY_DATABASE_URL', 'WRONG_DATABASE_URL']) {
      const answer = await ask('SELECT 1', name);
      expect(answer).toMatchObject({ unknown: expect.stringContaining(`the database of ${name} could not be asked`) as string });
      expect(JSON.stringify(answer)).not.toContain('tr0ub4dor');
    }
  });

  it('marks what may pass, and only that', async () => {
    const passing = async (query: string, name?: string) => (await ask(query, name)) as { passing?: boolean };
    expect((await passing('SELECT 1', 'AWAY_DATABASE_URL')).passing).toBe(true);
    expect((await passing('SELECT pg_sleep(30)::text')).passing).toBe(true);
    for (const query of ['SELECT * FROM shop.no_such_table', 'SELECT 1, 2', 'SELECT null']) expect(await passing(query)).not.toHaveProperty('passing');
  });

  it('is left where it never closes the connection', async () => {
    const { hostname, port } = new URL(database.url);
    env['HELD_DATABASE_URL'] = await behind((socket) => {
      const upstream = connectTo({ host: hostname, port: Number(port) });
      held.push(upstream);
      upstream.on('data', (data) => socket.write(data));
      socket.on('data', (data) => upstream.write(data));
    });
    expect(await ask('SELECT 39', 'HELD_DATABASE_URL')).toEqual({ version: '39' });
  });

  it('is given up where it accepts the connection and says nothing', async () => {
    env['MUTE_DATABASE_URL'] = await behind(() => undefined);
    const hasty = new PgSchemaVersions({ env, withinMs: 200 });
    expect(await hasty.ask({ databaseUrlEnv: 'MUTE_DATABASE_URL', query: 'SELECT 39' })).toEqual({
      unknown: 'the database of MUTE_DATABASE_URL could not be asked: it has not answered within 200 ms',
      passing: true,
    });
  });

  it('keeps no connection, and nothing written', async () => {
    const { rows } = await owner.query<{ connections: string; written: string }>(
      `SELECT (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'jobwarden-schema') AS connections, (SELECT count(*) FROM shop.schema_migrations) AS written`,
    );
    expect(rows).toEqual([{ connections: '0', written: '2' }]);
  });
});
