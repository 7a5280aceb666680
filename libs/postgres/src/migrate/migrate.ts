import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { TerminalError } from '#libs/application';
import { NEWEST_FOLD_VERSION } from '#libs/domain';
import { translated } from '../errors.js';
import { dataSource, KNOWN_MIGRATIONS } from './data-source.js';
import { readInstallation, type Installation } from './installation.js';
import { MigrationLock } from './lock.js';
import { Patience, type MigrationWaits } from './progress.js';
import { servable, setUpRights } from './rights.js';
import { runPending } from './run-pending.js';
import { readStanding, refuseNewer, refuseOlder, type Asked, type SchemaStanding } from './standing.js';

export interface InstallationWish {
  /** Shards of a database that is created now. Default 16; fixed from then on. */
  readonly shards?: number;
  /** `manual`: lane time comes from `PUT /v1/clock`, for tests and replays. Fixed when the database is created. */
  readonly clock?: 'real' | 'manual';
}

export interface MigrateOptions extends InstallationWish, MigrationWaits {}

export interface Migrated {
  /** Names of the migrations that ran now, oldest first. */
  readonly ran: readonly string[];
  readonly installation: Installation;
}

/**
 * Brings the schema up to date and writes the installation row of a new database. Safe to run from many processes at
 * once: one runs, the others wait and find nothing to do. Needs the owner's rights only where there is something to do.
 * Throws TerminalError: `migration_locked`, `migration_blocked` after `waitMs`, `schema_newer`, `role_of_others`,
 * `shards_fixed`, `clock_fixed`, `fold_version`.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  return await heard(async () => {
    const found = await connected(url, async (client) => {
      const { pending } = await standing(client);
      return pending.length === 0 && (await servable(client)) === true ? await installed(client, options) : null;
    });
    return found === null ? await migrateLocked(url, options) : { ran: [], installation: found };
  });
}

/**
 * For a process that shall not migrate, or may not: the installation of a database whose schema is up to date. Needs no
 * right but to be the service's role. Throws TerminalError `schema_older`, `schema_newer`, and as {@link migrate} does.
 */
export async function checkSchema(url: string, wish: InstallationWish = {}): Promise<Installation> {
  return await heard(() =>
    connected(url, async (client) => {
      refuseOlder(await standing(client));
      const can = await servable(client);
      if (can !== true) {
        throw new TerminalError('not_servable', `the service cannot use this database: ${can.message}. As the database's owner run: jobwarden migrate`, { cause: can });
      }
      return await installed(client, wish);
    }),
  );
}

/** Where the schema stands; changes nothing, and needs the right to read the table of migrations. Throws TerminalError `schema_newer`. */
export async function schemaStanding(url: string): Promise<SchemaStanding> {
  return await heard(() => connected(url, standing));
}

/** Takes back the newest migrations, `steps` of them. Everything in the dropped tables is lost. */
export async function migrateDown(url: string, steps: number, waits: MigrationWaits = {}): Promise<void> {
  await heard(async () => {
    const lock = await MigrationLock.take(url, new Patience(waits));
    try {
      const source = await dataSource(url).initialize();
      try {
        for (let i = 0; i < steps; i += 1) await source.undoLastMigration();
      } finally {
        await source.destroy();
      }
    } finally {
      await lock.release('COMMIT');
    }
  });
}

async function migrateLocked(url: string, options: MigrateOptions): Promise<Migrated> {
  const patience = new Patience(options);
  const lock = await MigrationLock.take(url, patience);
  let end: 'COMMIT' | 'ROLLBACK' = 'ROLLBACK';
  try {
    const source = await dataSource(url).initialize();
    let ran: readonly string[];
    try {
      ran = await runPending(source, lock, patience);
    } finally {
      await source.destroy();
    }
    const installation = await install(lock.client, options);
    end = 'COMMIT';
    return { ran, installation };
  } finally {
    await lock.release(end);
  }
}

const INSTALL = `
INSERT INTO jobwarden.installation (shards, clock_mode, hash_key, fold_version) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`;
const FILL = `
INSERT INTO jobwarden.shards (shard) SELECT generate_series(0, $1 - 1) ON CONFLICT DO NOTHING`;
const FILL_PUBLISHERS = `
INSERT INTO jobwarden.publishers (shard) SELECT generate_series(0, $1 - 1) ON CONFLICT DO NOTHING`;

/** In the transaction of the lock: whole, or not at all. */
async function install(client: Asked, wish: InstallationWish): Promise<Installation> {
  await setUpRights(client);
  await client.query(INSTALL, [wish.shards ?? 16, wish.clock ?? 'real', randomBytes(32), NEWEST_FOLD_VERSION]);
  const installation = await installed(client, wish);
  await client.query(FILL, [installation.shards]);
  await client.query(FILL_PUBLISHERS, [installation.shards]);
  return installation;
}

async function installed(client: Asked, wish: InstallationWish): Promise<Installation> {
  const installation = await readInstallation({ query: async (text) => [...(await client.query(text)).rows] });
  refuseChange(installation, wish);
  return installation;
}

async function standing(client: Asked): Promise<SchemaStanding> {
  const found = await readStanding(client, KNOWN_MIGRATIONS);
  refuseNewer(found);
  return found;
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'jobwarden-schema' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

async function heard<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}

function refuseChange(found: Installation, wanted: InstallationWish): void {
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
