import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate, migrateDown, schemaStanding } from '#libs/postgres';
import { createTestDatabase, fixedPolicies, World, type TestDatabase } from '#libs/testing';

let database: TestDatabase;
let client: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

/** The file of each table that holds something: written anew, it is another one. */
async function files(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; file: string }>(
    `select c.oid::regclass::text as name, c.oid || '/' || c.relfilenode as file from pg_class c
     where c.relnamespace = 'jobwarden'::regnamespace and c.relkind in ('r', 't') and c.relpages + pg_relation_size(c.oid) > 0`,
  );
  return new Map(rows.map(({ name, file }) => [name, file]));
}

async function written(change: () => Promise<unknown>): Promise<readonly string[]> {
  const before = await files();
  await change();
  const after = await files();
  return [...before].filter(([name, file]) => after.has(name) && after.get(name) !== file).map(([name]) => name);
}

test('no migration writes a table anew that holds something', async () => {
  const world = new World(database.url, fixedPolicies({ idempotent: true }, 'act'));
  await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', worker: { id: 'w1' } }, { type: 'queued', job: 'b' });
  await world.close();
  // The newest ones, on a database that is in use; the oldest make what there is.
  const { applied } = await schemaStanding(database.url);
  await migrateDown(database.url, applied.length - 2);
  expect((await files()).has('jobwarden.jobs')).toBe(true);
  expect(await written(() => migrate(database.url))).toEqual([]);
  expect(await written(() => client.query('alter table jobwarden.jobs alter column attempt type bigint'))).toContain('jobwarden.jobs');
});
