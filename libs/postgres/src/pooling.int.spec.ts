import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World, fixedPolicies, useTestDatabase } from '#libs/testing';
import { Database } from './database.js';

/** On one connection, so that whatever outlived its transaction would be met by the next one. */
describe('a database behind a pooler of transactions (F4)', () => {
  const place = useTestDatabase();
  let database: Database;
  beforeAll(async () => {
    database = new Database({ url: place.url, poolSize: 1, role: 'jobwarden_app', pooling: 'transaction' });
    const world = new World(place.url, fixedPolicies({}));
    await world.send({ type: 'queued', job: 'a' });
    await world.close();
  });
  afterAll(() => database.close());

  it('is used as the role of the service in every statement, alone or not', async () => {
    const me = 'SELECT current_user AS role';
    expect(await database.query(me)).toEqual([{ role: 'jobwarden_app' }]);
    expect(await database.prepared('me', `${me} WHERE $1`, [true])).toEqual([{ role: 'jobwarden_app' }]);
    expect(await database.transaction((tx) => tx.query(me))).toEqual([{ role: 'jobwarden_app' }]);
    expect(await database.transaction((tx) => tx.query(me), 'BEGIN ISOLATION LEVEL REPEATABLE READ')).toEqual([{ role: 'jobwarden_app' }]);
    await expect(database.query('DELETE FROM jobwarden.events')).rejects.toMatchObject({ code: '42501' });
  });

  it('keeps what a single statement wrote, and nothing of one that failed', async () => {
    await database.query(`UPDATE jobwarden.lanes SET gap_end_ms = 7 WHERE lane = 0`);
    await expect(database.query(`UPDATE jobwarden.lanes SET gap_end_ms = 8 / (lane - lane) WHERE lane = 0`)).rejects.toMatchObject({ code: 'unstorable' });
    expect(await database.query('SELECT gap_end_ms FROM jobwarden.lanes WHERE lane = 0')).toEqual([{ gap_end_ms: 7 }]);
  });

  it('is left as it was found: no setting, and nothing prepared', async () => {
    await database.transaction((tx) => tx.prepared('one', 'SELECT $1::integer', [1]), `BEGIN; SET LOCAL enable_seqscan = off`);
    await database.prepared('two', 'SELECT $1::integer', [2]);
    const left = `SELECT current_setting('enable_seqscan') AS seqscan, (SELECT count(*) FROM pg_prepared_statements WHERE name <> '') AS prepared`;
    expect(await database.query(left)).toEqual([{ seqscan: 'on', prepared: 0 }]);
  });
});
