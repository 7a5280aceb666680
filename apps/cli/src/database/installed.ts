import type { Environment, Pooling } from '#libs/config';
import { Database, readInstallation, type Installation } from '#libs/postgres';
import type { DatabaseAddress } from './database-command.js';

/** A pool on a migrated database for one command. */
export async function onInstalled<T>(
  { url, environment }: DatabaseAddress,
  work: (database: Database, installation: Installation) => Promise<T>,
): Promise<T> {
  const database = new Database({ url, pooling: poolingOf(environment), poolSize: 4, acquireTimeoutMs: 5_000, applicationName: 'jobwarden-cli' });
  try {
    return await work(database, await readInstallation(database));
  } finally {
    await database.close();
  }
}

export function poolingOf({ database }: Environment): Pooling {
  return database.mode === 'external' ? database.pooling : 'session';
}
