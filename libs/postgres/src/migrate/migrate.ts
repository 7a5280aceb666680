import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { TerminalError } from '#libs/application';
import { NEWEST_FOLD_VERSION } from '#libs/domain';
import { translated } from '../errors.js';
import { dataSource } from './data-source.js';
import { readInstallation, type Installation } from './installation.js';

export interface MigrateOptions {
  /** Shards of a database that is created now. Default 16; fixed from then on. */
  readonly shards?: number;
  /** `manual`: lane time comes from `PUT /v1/clock`, for tests and replays. Fixed when the database is created. */
  readonly clock?: 'real' | 'manual';
}

export interface Migrated {
  /** Names of the migrations that ran now, oldest first. */
  readonly ran: readonly string[];
  readonly installation: Installation;
}

/** One number for all of Jobwarden's migrations on a server's database: two runners would both create the tables. */
const MIGRATION_LOCK = 7_411_000_001;

/**
 * Brings the schema up to date and writes the installation row of a new database. Safe to run from many processes at
 * once: one runs, the others wait and find nothing to do. Needs the owner's rights.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  return await locked(url, async (source) => {
    const ran = await source.runMigrations();
    const installation = await install(source, options);
    return { ran: ran.map((m) => m.name), installation };
  });
}

/** Takes back the newest migrations, `steps` of them. Everything in the dropped tables is lost. */
export async function migrateDown(url: string, steps: number): Promise<void> {
  await locked(url, async (source) => {
    for (let i = 0; i < steps; i += 1) await source.undoLastMigration();
  });
}

async function locked<T>(url: string, work: (source: DataSource) => Promise<T>): Promise<T> {
  const lock = new pg.Client({ connectionString: url, application_name: 'jobwarden-migrate-lock' });
  lock.on('error', () => undefined);
  try {
    await lock.connect();
    // Of a transaction, not of a session: behind a pooler that would be held by nobody, and for ever.
    await lock.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0`);
    await lock.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const source = await dataSource(url).initialize();
    try {
      return await work(source);
    } finally {
      await source.destroy();
      await lock.query('COMMIT');
    }
  } catch (error) {
    throw translated(error);
  } finally {
    await lock.end();
  }
}

/**
 * Whoever creates a role is no superuser, and need not be able to become it: PostgreSQL 15 makes it no member, later
 * ones an administrator who may not SET ROLE. The service, which connects as the same user, has to.
 */
const MEMBERSHIP = `
DO $$
BEGIN
  SET LOCAL ROLE jobwarden_app;
EXCEPTION WHEN insufficient_privilege THEN
  GRANT jobwarden_app TO CURRENT_USER;
END
$$`;
const INSTALL = `
INSERT INTO jobwarden.installation (shards, clock_mode, hash_key, fold_version) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`;
const FILL = `
INSERT INTO jobwarden.shards (shard) SELECT generate_series(0, $1 - 1) ON CONFLICT DO NOTHING`;
const FILL_PUBLISHERS = `
INSERT INTO jobwarden.publishers (shard) SELECT generate_series(0, $1 - 1) ON CONFLICT DO NOTHING`;

/** Roles are of the whole server: where another user's Jobwarden has made ours, only an administrator lets us in. */
async function joinRole(source: DataSource): Promise<void> {
  try {
    await source.query(MEMBERSHIP);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '42501')) throw error;
    const [user] = await source.query<{ readonly name: string }[]>('SELECT quote_ident(current_user) AS name');
    throw new TerminalError(
      'role_of_others',
      'another Jobwarden of this server has made the role jobwarden_app, and our user is no member of it. ' +
        `As an administrator of the server: GRANT jobwarden_app TO ${user?.name ?? 'USER'}`,
      { cause: error },
    );
  }
}

async function install(source: DataSource, options: MigrateOptions): Promise<Installation> {
  await joinRole(source);
  await source.query(INSTALL, [options.shards ?? 16, options.clock ?? 'real', randomBytes(32), NEWEST_FOLD_VERSION]);
  const installation = await readInstallation({ query: async (text) => await source.query<object[]>(text) });
  await source.query(FILL, [installation.shards]);
  await source.query(FILL_PUBLISHERS, [installation.shards]);
  refuseChange(installation, options);
  return installation;
}

function refuseChange(found: Installation, wanted: MigrateOptions): void {
  if (wanted.shards !== undefined && wanted.shards !== found.shards) {
    throw new TerminalError(
      'shards_fixed',
      `this database has ${String(found.shards)} shards, asked for ${String(wanted.shards)}: the number is fixed when a database is created`,
    );
  }
  if (wanted.clock !== undefined && wanted.clock !== found.clockMode) {
    throw new TerminalError(
      'clock_fixed',
      `this database has the ${found.clockMode} clock, asked for ${wanted.clock}: use another database`,
    );
  }
}
