import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { createTestDatabase, useTestDatabase } from './index.js';

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'forgetful' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function exists(name: string): Promise<boolean> {
  const admin = await connect(inject('testServer').adminUrl);
  const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [name]);
  await admin.end();
  return rowCount === 1;
}

describe('a test database', () => {
  const database = useTestDatabase({ empty: true });

  test('is made for the file, and is its own', async () => {
    const client = await connect(database.url);
    const { rows } = await client.query('select current_database() as name');
    await client.end();
    expect(rows).toEqual([{ name: database.name }]);
  });

  test('is gone after its drop', async () => {
    const other = await createTestDatabase({ empty: true });
    expect(await exists(other.name)).toBe(true);
    await other.drop();
    expect(await exists(other.name)).toBe(false);
  });

  test('whose connections are left open fails its file, naming them, and is gone nevertheless', async () => {
    const other = await createTestDatabase({ empty: true });
    const leaked = await connect(other.url);
    await leaked.query('select 1 as left_open');
    await expect(other.drop()).rejects.toThrow(/1 connection\(s\) left open[\s\S]*forgetful, last statement: select 1 as left_open/);
    expect(await exists(other.name)).toBe(false);
    await leaked.end().catch(() => undefined);
  });
});

test.runIf(inject('testServer').template !== null)('a test database is a copy of the migrated template', async () => {
  const database = await createTestDatabase();
  const client = await connect(database.url);
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_class c join pg_namespace s on s.oid = c.relnamespace
      where c.relkind = 'r' and s.nspname not in ('pg_catalog', 'information_schema')`,
  );
  await client.end();
  await database.drop();
  expect(rows[0]!.n).toBeGreaterThan(0);
});
