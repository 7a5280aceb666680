import { Database, readInstallation, type Installation } from '#libs/postgres';

/** A pool on a migrated database for one command. */
export async function onInstalled<T>(
  url: string,
  work: (database: Database, installation: Installation) => Promise<T>,
): Promise<T> {
  const database = new Database({ url, poolSize: 4, acquireTimeoutMs: 5_000, applicationName: 'jobwarden-cli' });
  try {
    return await work(database, await readInstallation(database));
  } finally {
    await database.close();
  }
}
