import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate, migrateDown } from '#libs/postgres';
import { createTestDatabase, type TestDatabase } from '#libs/testing';
import { schemaSnapshot } from './schema-snapshot.js';

let database: TestDatabase;
let client: pg.Client;
const snapshot = () => schemaSnapshot(client, 'jobwarden_migrations');

beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

test('the migrations go up, down to nothing and up again, with the same schema twice', async () => {
  const before = await snapshot();
  const { ran } = await migrate(database.url);
  const up = await snapshot();
  expect(up.length).toBeGreaterThan(before.length + 20);

  await migrateDown(database.url, ran.length);
  expect(await snapshot()).toEqual(before);

  expect((await migrate(database.url)).ran).toEqual(ran);
  expect(await snapshot()).toEqual(up);
});

test('each migration alone can be taken back and run again', async () => {
  const { ran } = await migrate(database.url);
  const up = await snapshot();
  for (const steps of ran.keys()) {
    await migrateDown(database.url, steps + 1);
    expect((await migrate(database.url)).ran).toEqual(ran.slice(-steps - 1));
    expect(await snapshot()).toEqual(up);
  }
});

test('three processes that migrate at once make one schema, and each migration runs once', async () => {
  const all = await Promise.all([1, 2, 3].map(() => migrate(database.url)));
  const ran = all.flatMap((one) => one.ran);
  expect(new Set(ran).size).toBe(ran.length);
  expect(all.map((one) => one.ran.length).sort()).toEqual([0, 0, ran.length]);
});

test('a user whose schema is the new one finds at the next start what has run', async () => {
  // As for a user named `jobwarden` with the default search path, "$user", public.
  const name = new URL(database.url).pathname.slice(1);
  await client.query(`alter database "${name}" set search_path = jobwarden, public`);
  const { ran } = await migrate(database.url);
  expect(ran.length).toBeGreaterThan(0);
  expect((await migrate(database.url)).ran).toEqual([]);
  await migrateDown(database.url, ran.length);
  expect((await migrate(database.url)).ran).toEqual(ran);
});

test('an owner who is no superuser can become the role that the service acts as', async () => {
  const owner = `owner_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(database.url);
  const superuser = decodeURIComponent(url.username);
  const { ran } = await migrate(database.url);
  await migrateDown(database.url, ran.length);
  await client.query(`drop table public.jobwarden_migrations`);
  // As whoever creates a role is given it: to administer, and not to become.
  await client.query(`create role ${owner} login createrole password 'secret'`);
  await client.query(`grant jobwarden_app to ${owner} with admin true, inherit false, set false`);
  await client.query(`alter database "${url.pathname.slice(1)}" owner to ${owner}`);
  url.username = owner;
  url.password = 'secret';
  try {
    await migrate(url.href);
    const asOwner = new pg.Client({ connectionString: url.href });
    await asOwner.connect();
    await asOwner.query('set role jobwarden_app');
    await asOwner.query('select from jobwarden.installation');
    await asOwner.end();
  } finally {
    await client.query(`reassign owned by ${owner} to "${superuser}"`);
    await client.query(`drop owned by ${owner}`);
    await client.query(`revoke jobwarden_app from ${owner} cascade`);
    await client.query(`drop role ${owner}`);
  }
});

test('a snapshot notices the smallest change (or the tests above could not fail)', async () => {
  await migrate(database.url);
  const up = await snapshot();
  await client.query('alter table jobwarden.installation alter column shards set not null');
  await client.query('create index planted on jobwarden.installation (shards)');
  expect(await snapshot()).not.toEqual(up);
});
