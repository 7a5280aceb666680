import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/**
 * The tables of Jobwarden that hold `needle` anywhere, in text or in bytes: every row of every table is looked at, as a dump of
 * the database would show it.
 */
export async function tablesWith(url: string, needle: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relnamespace = 'jobwarden'::regnamespace AND c.relkind = 'r' ORDER BY 1`,
    );
    const hex = Buffer.from(needle).toString('hex');
    const found: string[] = [];
    for (const { name } of rows) {
      const { rowCount } = await client.query(`SELECT FROM ${name} t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0 LIMIT 1`, [needle, hex]);
      if (rowCount === 1) found.push(name.replace(/^jobwarden\./u, '').replace(/_pm?\d+$/u, ''));
    }
    return found;
  } finally {
    await client.end();
  }
}

/** Of the database's own files those that hold `needle`; its WAL is the server's and lies elsewhere. */
export async function filesWith(url: string, needle: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ folder: string }>(
      `SELECT current_setting('data_directory') || '/base/' || oid AS folder FROM pg_database WHERE datname = current_database()`,
    );
    const folder = rows[0]?.folder ?? '';
    return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(needle));
  } finally {
    await client.end();
  }
}
