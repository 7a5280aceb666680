import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { Database } from './database.js';

describe('what a database complains of', () => {
  const made = useTestDatabase({ empty: true });
  let database: Database;

  beforeAll(() => {
    database = new Database({ url: made.url, poolSize: 1 });
  });
  afterAll(() => database.close());

  it('is the cause of the failure, whichever statement behind it is heard first', async () => {
    const failing = database.connected(async (client) => {
      await client.query('BEGIN');
      // As when rows are written: the statement that fails is waited for by more hands than the one behind it.
      const waited = async () => {
        const rows = await client.prepared('fails', 'SELECT 1 / $1::integer', [0]);
        return await Promise.resolve(rows);
      };
      const more = async () => [await waited()];
      try {
        await Promise.all([more(), client.prepared('behind', 'SELECT 1', [])]);
      } finally {
        await client.query('ROLLBACK');
      }
    });
    await expect(failing).rejects.toMatchObject({ code: 'unstorable' });
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it.each(['53100', '53200', '58030', '57014', '25006'])('calls for a repeat when the moment is at fault (%s)', async (state) => {
    const failing = database.query(`DO $$ BEGIN RAISE EXCEPTION 'trouble' USING ERRCODE = '${state}'; END $$`);
    await expect(failing).rejects.toMatchObject({ name: 'RetryableError', code: 'database_unavailable' });
  });
});
