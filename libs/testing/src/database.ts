import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { pollUntil } from './poll.js';

/** The PostgreSQL of this test run. */
export interface TestServer {
  readonly adminUrl: string;
  /** The migrated database to copy; null while there are no migrations. */
  readonly template: string | null;
}

export const templateDatabase = 'jobwarden_template';

export interface TestDatabaseOptions {
  /** Without the migrations. Default false. */
  readonly empty?: boolean;
}

export interface TestDatabase {
  readonly name: string;
  /** The superuser's. */
  readonly url: string;
  /**
   * Drops the database. @throws when connections to it are still open a second later: a pool that nobody
   * closes would keep the shipped process from ending.
   */
  drop(): Promise<void>;
}

/** A database of its own, copied from the migrated template. The caller drops it. */
export async function createTestDatabase({ empty = false }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { adminUrl, template } = inject('testServer');
  if (!empty && template === null) throw new Error('There are no migrations yet: only an empty database can be made.');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, (admin) => admin.query(`create database ${name} template ${empty ? 'template0' : template}`));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: () => asAdmin(adminUrl, (admin) => drop(admin, name)) };
}

/**
 * For a spec file: makes the database before its tests and drops it after them, failing on open connections.
 * Close pools in an `afterAll` registered after this call: vitest runs the later ones first.
 */
export function useTestDatabase(options?: TestDatabaseOptions): { readonly url: string; readonly name: string } {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createTestDatabase(options);
  });
  afterAll(() => database?.drop());
  const made = () => {
    if (database === undefined) throw new Error('The test database is made in beforeAll: use it inside of a test or hook.');
    return database;
  };
  return {
    get url() {
      return made().url;
    },
    get name() {
      return made().name;
    },
  };
}

interface Connection {
  pid: number;
  application_name: string;
  query: string;
}

async function drop(admin: pg.Client, name: string): Promise<void> {
  const open = async () => {
    const { rows } = await admin.query<Connection>(
      `select pid, application_name, query from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
      [name],
    );
    return rows;
  };
  // The server learns of a closed connection a moment after the client has closed it.
  const closed = await pollUntil(async () => (await open()).length === 0, { withinMs: 1_000 });
  const left = closed ? [] : await open();
  await admin.query(`drop database if exists ${name} with (force)`);
  if (left.length === 0) return;
  const lines = left.map((one) => `  ${one.application_name || 'unnamed'}, last statement: ${one.query.slice(0, 200)}`);
  throw new Error([`${left.length} connection(s) left open to the test database:`, ...lines].join('\n'));
}

async function asAdmin<T>(adminUrl: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}
