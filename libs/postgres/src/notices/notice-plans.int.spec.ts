import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobKey } from '#libs/contracts';
import { useTestDatabase } from '#libs/testing';
import { Database } from '../database.js';
import { PgNoticeReads } from './pg-notice-reads.js';

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

const NOTICES = 100_000;
const WEBHOOKS = 3;
const MINE = { namespace: 'default', queue: 'mail', id: 'j-7777' };

const place = useTestDatabase();
let database: Database;
beforeAll(async () => {
  database = new Database({ url: place.url });
  await database.query(`
    INSERT INTO jobwarden.reconciliations (lane_ms, trigger, looked, decided, would_have, held, rows, noticed)
    SELECT g, 'schedule', 1, 0, 1, 0, format('[{"ref":{"namespace":"default","queue":"mail","id":"j-%s"},"verdict":"lost","outcome":"would-have"}]', g), true
    FROM generate_series(1, ${String(NOTICES)}) g`);
  await database.query(`
    INSERT INTO jobwarden.stuck_notices (notice_id, webhook, message, tries)
    SELECT 'stuck-' || (g / ${String(WEBHOOKS)}), 'w' || (g % ${String(WEBHOOKS)}),
           format('{"namespace":"default","data":{"queue":"mail","more":0,"jobs":[{"id":"j-%s"}]}}', g / ${String(WEBHOOKS)}), 1
    FROM generate_series(0, ${String(NOTICES - 1)}) g`);
  await database.query(`
    INSERT INTO jobwarden.stuck_jobs (job_key, run_id, notice_id)
    SELECT substr(sha256(g::text::bytea), 1, 16), g, 'stuck-' || (g % (${String(NOTICES)} / ${String(WEBHOOKS)})) FROM generate_series(1, ${String(NOTICES)}) g`);
  await database.query(`INSERT INTO jobwarden.stuck_jobs (job_key, run_id, notice_id) VALUES ($1, 7777, 'stuck-7777')`, [jobKey(MINE)]);
  await database.query('ANALYZE');
});
afterAll(async () => await database.close());

/** Rows of tables that were read, those that no filter let through included. */
function read(node: PlanNode): number {
  const rows = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = node['Relation Name'] === undefined ? 0 : rows * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, plan) => sum + read(plan), own);
}

async function rowsRead(ask: (reads: PgNoticeReads) => Promise<unknown>): Promise<number> {
  let rows = 0;
  const explained = {
    query: async (text: string, values: readonly unknown[]) => {
      const [row] = await database.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      for (const { Plan } of row?.['QUERY PLAN'] ?? []) rows += read(Plan);
      return await database.query(text, values);
    },
  };
  await ask(new PgNoticeReads(explained as never));
  return rows;
}

it(`what became of a job's notices costs a look at it, its run and its ${String(WEBHOOKS)} notices, of ${String(NOTICES)} that there are`, async () => {
  expect((await new PgNoticeReads(database).found(MINE))?.waiting).toHaveLength(WEBHOOKS);
  const rows = await rowsRead((reads) => reads.found(MINE));
  expect(rows).toBeGreaterThanOrEqual(WEBHOOKS);
  expect(rows).toBeLessThanOrEqual(WEBHOOKS + 2);
});

it('of a job that nobody found stuck costs no row', async () => {
  expect(await rowsRead((reads) => reads.found({ ...MINE, id: 'fine' }))).toBe(0);
});
