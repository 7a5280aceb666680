import { installPostgresFence, postgresFence, postgresFenceHolds, StaleTokenError } from '@jobwarden/fences';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { empty, fenced, left, looksFirst, SINK_TABLES, write, type Check } from './postgres-sink.fixture.js';

const database = useTestDatabase({ empty: true });
let pool: pg.Pool;

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: database.url, max: 12 });
  await installPostgresFence(pool);
  await installPostgresFence(pool);
  await pool.query(SINK_TABLES);
});
afterAll(() => pool.end());
beforeEach(() => empty(pool));

/** In an order that is no order, each twice. */
const tokens = Array.from({ length: 40 }, (_, i) => ((i * 17) % 40) + 1).flatMap((token) => [token, token]);

describe.each(['READ COMMITTED', 'SERIALIZABLE'] as const)('a PostgreSQL sink under %s', (isolation) => {
  it('accepts 8, then refuses 7 (B7), and lets 8 repeat', async () => {
    const answers = [];
    for (const token of [8, 7, 8]) answers.push(await write(pool, { token, check: fenced, isolation }));
    expect(answers).toEqual(['written', 'refused', 'written']);
    expect(await left(pool)).toEqual({ target: 8, effects: [8, 8] });
  });

  it('keeps the effect of the newest of many writers, and none of one that was refused', async () => {
    const answers = await Promise.all(tokens.map(async (token) => ({ token, answer: await write(pool, { token, check: fenced, isolation }) })));
    const { target, effects } = await left(pool);
    expect(target).toBe(40);
    expect(effects).toEqual([...effects].sort((a, b) => a - b));
    const written = answers.filter(({ answer }) => answer === 'written').map(({ token }) => token);
    expect([...effects]).toEqual(written.sort((a, b) => a - b));
  });
});

/** 7 has passed its check; before it writes, 8 comes along and either ends or has to wait. */
async function overtaken(check: Check): Promise<readonly number[]> {
  let second: Promise<unknown> = Promise.resolve();
  const meanwhile = async () => {
    let ended = false;
    second = write(pool, { token: 8, check, isolation: 'READ COMMITTED' }).then(() => (ended = true));
    await waitUntil('8 ends or waits', async () => {
      const { rows } = await pool.query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return ended || rows.length > 0;
    });
  };
  await write(pool, { token: 7, check, isolation: 'READ COMMITTED', meanwhile });
  await second;
  return (await left(pool)).effects;
}

describe('between the check and the write', () => {
  it('nobody comes: the newer one waits, and writes last', async () => {
    expect(await overtaken(fenced)).toEqual([7, 8]);
  });

  it('a sink that looks first and then writes is overtaken (twin: the same test finds it out)', async () => {
    expect(await overtaken(looksFirst)).toEqual([8, 7]);
  });
});

describe('a stale token', () => {
  it('is an error, after which nothing of the transaction can be committed', async () => {
    await postgresFence(pool, 'r', 8);
    const client = await pool.connect();
    await client.query(`BEGIN; INSERT INTO effects (id, token) VALUES ('r', 7)`);
    await expect(postgresFence(client, 'r', 7)).rejects.toThrow(StaleTokenError);
    expect((await client.query('COMMIT')).command).toBe('ROLLBACK');
    client.release();
    expect((await left(pool)).effects).toEqual([]);
  });

  it('has a SQLSTATE of its own, for any language', async () => {
    await pool.query(`SELECT jobwarden_fence('r', 8)`);
    await expect(pool.query(`SELECT jobwarden_fence('r', 7)`)).rejects.toMatchObject({ code: 'JW412' });
  });

  it('is not made by one that was rolled back', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await postgresFence(client, 'r', 9);
    await client.query('ROLLBACK');
    client.release();
    expect(await postgresFenceHolds(pool, 'r', 8)).toBe(true);
  });

  it('is told apart up to the last number', async () => {
    expect(await postgresFenceHolds(pool, 'r', Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(await postgresFenceHolds(pool, 'r', Number.MAX_SAFE_INTEGER - 1)).toBe(false);
    await expect(postgresFenceHolds(pool, 'r', Number.MAX_SAFE_INTEGER + 1)).rejects.toThrow(RangeError);
  });

  it('is refused by a column of the row as well', async () => {
    const upsert = `INSERT INTO target AS t VALUES ('row', $1) ON CONFLICT (id) DO UPDATE SET written_by = excluded.written_by
      WHERE t.written_by <= excluded.written_by`;
    const counts = [];
    for (const token of [8, 7, 8]) counts.push((await pool.query(upsert, [token])).rowCount);
    expect(counts).toEqual([1, 0, 1]);
    await pool.query(`DELETE FROM target WHERE id = 'row'`);
  });
});
