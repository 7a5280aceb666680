import { TerminalError } from '#libs/application';

/** Where a database's schema stands beside this program's migrations. Names, oldest first. */
export interface SchemaStanding {
  /** In force. */
  readonly applied: readonly string[];
  /** This program's, and not in force. */
  readonly pending: readonly string[];
  /** In force, and of a newer release: this program works with what they add, and never knows of it. */
  readonly unknown: readonly string[];
}

/** What a connection needs to be asked by. */
export interface Asked {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly object[] }>;
}

export const MIGRATIONS_TABLE = 'jobwarden_migrations';
/**
 * Where the table of migrations stands. Named, because the search path would decide otherwise, and it changes with the
 * first migration: for a user named `jobwarden` it begins with the schema of that name as soon as there is one.
 */
export const MIGRATIONS_SCHEMA = 'public';
const TABLE = `${MIGRATIONS_SCHEMA}.${MIGRATIONS_TABLE}`;

/**
 * A migration that takes away what an older program needs is named so. The name is what older programs can read of it:
 * they refuse such a schema at their start, and work with any other that is newer.
 */
const CONTRACT = /^Contract/u;

const THERE = `SELECT to_regclass('${TABLE}') IS NOT NULL AS list, to_regclass('jobwarden.installation') IS NOT NULL AS tables`;
const APPLIED = `SELECT name FROM ${TABLE} ORDER BY "timestamp"`;

/** Reads, and locks nothing; of a database without tables nothing is in force. Throws TerminalError `migrations_unknown`. */
export async function readStanding(client: Asked, known: readonly string[]): Promise<SchemaStanding> {
  const [there] = (await client.query(THERE)).rows as { readonly list: boolean; readonly tables: boolean }[];
  const rows = there?.list === true ? (await client.query(APPLIED)).rows : [];
  if (rows.length === 0 && there?.tables === true) {
    throw new TerminalError('migrations_unknown', `the tables of Jobwarden are there, and ${TABLE} is not: a dump of their schema alone lacks it; restore it from one of the whole database`);
  }
  const applied = (rows as { readonly name: string }[]).map(({ name }) => name);
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

/** Throws TerminalError `schema_newer`: something that this program needs is gone. */
export function refuseNewer({ unknown }: SchemaStanding): void {
  const taken = unknown.filter((name) => CONTRACT.test(name));
  if (taken.length === 0) return;
  throw new TerminalError(
    'schema_newer',
    `a newer release has taken out of the database what this one needs (${taken.join(', ')}): run the newer Jobwarden`,
  );
}

/** Throws TerminalError `schema_older` with the command that is missing: for whoever may not migrate, or shall not. */
export function refuseOlder({ applied, pending }: SchemaStanding): void {
  if (pending.length === 0) return;
  const lacks = applied.length === 0 ? 'has no tables of Jobwarden yet' : `lacks ${String(pending.length)} of this release's migrations (${pending.join(', ')})`;
  throw new TerminalError(
    'schema_older',
    `the database ${lacks}, and JOBWARDEN_MIGRATE is off. With this release, and JOBWARDEN_DATABASE_URL naming the database's owner, run: jobwarden migrate`,
  );
}
