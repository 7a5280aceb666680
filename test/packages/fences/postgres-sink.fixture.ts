import { postgresFenceHolds } from '@jobwarden/fences';
import type pg from 'pg';

export const SINK_TABLES = `
CREATE TABLE target (id text PRIMARY KEY, written_by bigint NOT NULL);
CREATE TABLE effects (n bigserial PRIMARY KEY, id text NOT NULL, token bigint NOT NULL);
INSERT INTO target VALUES ('r', 0);`;

export type Check = (client: pg.Client | pg.PoolClient, token: number) => Promise<boolean>;

export const fenced: Check = (client, token) => postgresFenceHolds(client, 'r', token);

/** The twin: looks whether somebody newer was there, and then writes. */
export const looksFirst: Check = async (client, token) => {
  const { rows } = await client.query<{ written_by: string }>(`SELECT written_by FROM target WHERE id = 'r'`);
  return Number(rows[0]?.written_by) <= token;
};

export interface Write {
  readonly token: number;
  readonly check: Check;
  readonly isolation: 'READ COMMITTED' | 'SERIALIZABLE';
  /** Between the check and the write. */
  readonly meanwhile?: () => Promise<void>;
}

/** One worker's write. Serialization failures are repeated, as PostgreSQL asks its callers to. */
export async function write(pool: pg.Pool, { token, check, isolation, meanwhile }: Write): Promise<'written' | 'refused'> {
  const client = await pool.connect();
  try {
    for (;;) {
      try {
        await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
        const holds = await check(client, token);
        await meanwhile?.();
        if (holds) {
          await client.query(`INSERT INTO effects (id, token) VALUES ('r', $1)`, [token]);
          await client.query(`UPDATE target SET written_by = $1 WHERE id = 'r'`, [token]);
        }
        await client.query('COMMIT');
        return holds ? 'written' : 'refused';
      } catch (error) {
        await client.query('ROLLBACK');
        if ((error as { code?: string }).code !== '40001') throw error;
      }
    }
  } finally {
    client.release();
  }
}

export interface Left {
  readonly target: number;
  readonly effects: readonly number[];
}

export async function left(pool: pg.Pool): Promise<Left> {
  const target = await pool.query<{ written_by: string }>('SELECT written_by FROM target');
  const effects = await pool.query<{ token: string }>('SELECT token FROM effects ORDER BY n');
  return { target: Number(target.rows[0]?.written_by), effects: effects.rows.map((row) => Number(row.token)) };
}

export async function empty(pool: pg.Pool): Promise<void> {
  await pool.query(`TRUNCATE effects; UPDATE target SET written_by = 0; DELETE FROM jobwarden_fences;`);
}
