import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, useTestDatabase, type TestDatabase } from '#libs/testing';
import { migrate } from './migrate.js';

/** Of a user who is no superuser, on a server where others have made the role before. */
const server = useTestDatabase({ empty: true });
const user = `other_${randomBytes(4).toString('hex')}`;
let database: TestDatabase;
let url: URL;

async function asAdmin(...statements: readonly string[]): Promise<void> {
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  try {
    for (const statement of statements) await admin.query(statement);
  } finally {
    await admin.end();
  }
}

beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  await asAdmin(`CREATE ROLE ${user} LOGIN CREATEROLE PASSWORD 'secret'`, `ALTER DATABASE ${database.name} OWNER TO ${user}`);
  url = Object.assign(new URL(database.url), { username: user, password: 'secret' });
});
afterEach(async () => {
  await database.drop();
  await asAdmin(`DROP ROLE ${user}`);
});

it('a role that another Jobwarden has made is said to be that, with the grant that is missing', async () => {
  const refused: unknown = await migrate(url.href).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'TerminalError', code: 'role_of_others' });
  const [, grant] = /As an administrator of the server: (GRANT .*)$/u.exec(String(refused)) ?? [];
  expect(grant).toBe(`GRANT jobwarden_app TO ${user}`);
  await asAdmin(String(grant));
  expect(await migrate(url.href)).toMatchObject({ ran: [], installation: { shards: 16 } });
});
