import { TerminalError } from '#libs/application';
import { knowsFoldVersion, unknownFold } from '#libs/domain';

export interface Installation {
  /** Fixed when the database was created, like the clock and the key. */
  readonly shards: number;
  readonly clockMode: 'real' | 'manual';
  readonly hashKey: Buffer;
  /** In force when this was read; it may be raised while a program runs. */
  readonly foldVersion: number;
}

/**
 * The one row that says what this database is. Throws TerminalError `not_installed`, and `fold_version` where the version
 * in force is none of this program's: it could read rows, perhaps, and write none.
 */
export async function readInstallation(db: { query(text: string): Promise<object[]> }): Promise<Installation> {
  const rows = (await db.query('SELECT shards, clock_mode, hash_key, fold_version FROM jobwarden.installation')) as {
    shards: number;
    clock_mode: 'real' | 'manual';
    hash_key: Buffer;
    fold_version: number;
  }[];
  const row = rows[0];
  if (row === undefined) {
    throw new TerminalError('not_installed', 'the database has no installation row: run `jobwarden migrate`');
  }
  if (!knowsFoldVersion(row.fold_version)) throw new TerminalError('fold_version', unknownFold('rows are', row.fold_version));
  return { shards: row.shards, clockMode: row.clock_mode, hashKey: row.hash_key, foldVersion: row.fold_version };
}
