import type { Connection, Database } from '../database.js';

/** One snapshot for several statements; nothing can be written in it. */
export async function snapshot<T>(database: Database, work: (tx: Connection) => Promise<T>): Promise<T> {
  return await database.connected(async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}
