import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { PgSchemaVersions } from './pg-schema-versions.js';

describe("a user's database that is asked for the version of its schema", () => {
  const database = useTestDatabase();
  let owner: pg.Client;
  const env: Record<string, string | undefined> = {};
  const versions = new PgSchemaVersions({ env });
  const ask = async (query: string, databaseUrlEnv = 'SHOP_DATABASE_URL') => await versions.ask({ databaseUrlEnv, query });
  beforeAll(async () => {
    env['SHOP_DATABASE_URL'] = database.url;
    owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    await owner.query('CREATE SCHEMA shop; CREATE TABLE shop.schema_migrations (version bigint); INSERT INTO shop.schema_migrations VALUES (38), (39)');
  });
  afterAll(() => owner.end());

  it.each([
    ['SELECT max(version) FROM shop.schema_migrations', '39'],
    ['select 20260115093000::bigint', '20260115093000'],
    ["select ' 2.10.1 '", '2.10.1'],
    ['select 7::int', '7'],
  ])('answers %s with %s', async (query, version) => expect(await ask(query)).toEqual({ version }));

  it.each([
    ['SELECT version FROM shop.schema_migrations', 'answered 2 rows of 1 values'],
    ['SELECT 1, 2', 'answered 1 rows of 2 values'],
    ['SELECT version FROM shop.schema_migrations WHERE false', 'answered 0 rows'],
    ['SELECT max(version) FROM shop.schema_migrations WHERE false', 'answered null'],
    ["SELECT 'V39__orders'", '"V39__orders", which is no version'],
    ['SELECT * FROM shop.no_such_table', 'relation "shop.no_such_table" does not exist (42P01)'],
    ['INSERT INTO shop.schema_migrations VALUES (40) RETURNING version', 'cannot execute INSERT in a read-only transaction (25006)'],
    ['SELECT 1; COMMIT; INSERT INTO shop.schema_migrations VALUES (40)', 'cannot insert multiple commands into a prepared statement (42601)'],
    ['SELECT pg_sleep(30)::text', 'canceling statement due to statement timeout (57014)'],
  ])('says why %s is no version', async (query, why) => {
    expect(await ask(query)).toEqual({ unknown: expect.stringContaining(why) as string });
  });

  it('says so where it is not there, and tells no secret', async () => {
    env['AWAY_DATABASE_URL'] = 'postgres://shop:tr0ub4dor@127.0.0.1:9/shop';
    env['WRONG_DATABASE_URL'] = 'not an address: tr0ub4dor';
    expect(await ask('SELECT 1', 'NO_DATABASE_URL')).toEqual({ unknown: 'NO_DATABASE_URL is not set' });
    for (const name of ['AWAY_DATABASE_URL', 'WRONG_DATABASE_URL']) {
      const answer = await ask('SELECT 1', name);
      expect(answer).toEqual({ unknown: expect.stringContaining(`the database of ${name} could not be asked`) as string });
      expect(JSON.stringify(answer)).not.toContain('tr0ub4dor');
    }
  });

  it('keeps no connection, and nothing written', async () => {
    const { rows } = await owner.query<{ connections: string; written: string }>(
      `SELECT (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'jobwarden-schema') AS connections, (SELECT count(*) FROM shop.schema_migrations) AS written`,
    );
    expect(rows).toEqual([{ connections: '0', written: '2' }]);
  });
});
