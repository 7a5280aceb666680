import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { BEGIN_BY_KEY, Database } from './database.js';
import { BEGIN_CLAIM } from './log/statements.js';

/** As of a process that is stopped, or a machine that is gone: its connection stands, and nothing more comes over it. */
describe('a transaction that nobody goes on with', () => {
  const place = useTestDatabase();
  let database: Database;
  beforeAll(() => {
    database = new Database({ url: place.url, poolSize: 2 });
  });
  afterAll(() => database.close());

  it.each([undefined, BEGIN_BY_KEY])('is ended by the server after ten seconds (begun by %s)', async (begin) => {
    const shown = await database.transaction((tx) => tx.query('SHOW idle_in_transaction_session_timeout'), begin);
    expect(shown).toEqual([{ idle_in_transaction_session_timeout: '10s' }]);
    expect(await database.query('SHOW idle_in_transaction_session_timeout')).toEqual([{ idle_in_transaction_session_timeout: '0' }]);
  });

  it('is ended after three where it is a claim: before its replica counts as dead', async () => {
    const shown = await database.transaction((tx) => tx.query('SHOW idle_in_transaction_session_timeout'), BEGIN_CLAIM);
    expect(shown).toEqual([{ idle_in_transaction_session_timeout: '3s' }]);
  });

  it('gives its locks back, and may be repeated by whoever began it', async () => {
    let locked: () => void = () => undefined;
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    let goOn: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (goOn = resolve));
    const first = database.transaction(async (tx) => {
      await tx.query(`SET LOCAL idle_in_transaction_session_timeout = '100ms'`);
      await tx.query('SELECT FROM jobwarden.lanes WHERE lane = 0 FOR UPDATE');
      locked();
      await stopped;
      await tx.query('SELECT 1');
    });
    const failed = expect(first).rejects.toMatchObject({ code: 'database_unavailable' });
    await isLocked;
    expect(await database.query('SELECT lane FROM jobwarden.lanes WHERE lane = 0 FOR UPDATE')).toEqual([{ lane: 0 }]);
    goOn();
    await failed;
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
