import type { Client } from 'pg';
import { connectedTo } from './bench-server.js';

/** What the writer's log is measured against: a table like it, with the same indexes, that nothing else belongs to. */
export const TWIN = 'jobwarden.events_twin';

/** With a partition for each that the log has by now. */
export async function makeTwin(url: string): Promise<void> {
  await connectedTo(url, async (admin) => {
    await admin.query(`CREATE TABLE ${TWIN} (LIKE jobwarden.events INCLUDING ALL) PARTITION BY LIST (period)`);
    const { rows } = await admin.query<{ name: string; bound: string }>(`
      SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'jobwarden.events'::regclass`);
    for (const { name, bound } of rows) {
      await admin.query(`
        CREATE TABLE jobwarden.twin_of_${name} (LIKE jobwarden.${name} INCLUDING ALL);
        ALTER TABLE ${TWIN} ATTACH PARTITION jobwarden.twin_of_${name} ${bound}`);
    }
    await sameIndexes(admin);
  });
}

/** A partition may get its indexes twice, its own and its parent's: then the comparison would be unfair. */
async function sameIndexes(admin: Client): Promise<void> {
  const { rows } = await admin.query<{ log: string; twin: string }>(`
    SELECT string_agg(key, ', ' ORDER BY key) FILTER (WHERE relname LIKE 'events_p%') AS log,
           string_agg(key, ', ' ORDER BY key) FILTER (WHERE relname LIKE 'twin_of_%') AS twin
    FROM (SELECT c.relname, regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING', '') AS key
          FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid) AS indexes`);
  if (rows[0] === undefined || rows[0].log !== rows[0].twin) {
    throw new Error(`the twin has other indexes than the log: ${JSON.stringify(rows[0])}`);
  }
}
