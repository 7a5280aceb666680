import { afterAll, beforeAll, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { Database } from '../database.js';
import { PgJobReads } from './job-reads.js';

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const LETTERS = 2_000;
const LIMIT = 20;

const place = useTestDatabase();
let database: Database;
beforeAll(async () => {
  database = new Database({ url: place.url });
  await database.query(`INSERT INTO jobwarden.queues (namespace, queue) SELECT 'default', name FROM unnest(ARRAY['busy', 'other']) name`);
  await database.query(`
    INSERT INTO jobwarden.jobs (job_key, shard, queue_id, period, job_id, kind, status, row_version, since_ms)
    SELECT sha256(g::text::bytea), 0, q.queue_id, 0, g::text, 'usual', CASE WHEN g <= ${String(LETTERS)} THEN 'dead-lettered' ELSE 'succeeded' END, 1, g
    FROM generate_series(1, ${String(4 * LETTERS)}) g CROSS JOIN (SELECT min(queue_id) AS queue_id FROM jobwarden.queues) q`);
  await database.query('ANALYZE');
});
afterAll(async () => await database.close());

/** Rows of jobs that a page has looked at. */
function looked(node: PlanNode): number {
  const own = node['Relation Name'] === 'jobs' ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((sum, plan) => sum + looked(plan), own);
}

it.each([
  ['of all queues', {}, 2 * LIMIT + 4],
  ['of one queue', { queue: 'busy' }, 2 * LIMIT + 4],
  ['of a kind that most have', { kind: 'usual' }, 2 * LIMIT + 4],
  ['of a kind that nobody has, which only every letter of the queue can tell', { queue: 'busy', kind: 'none' }, LETTERS],
])('a page of dead letters %s costs no look at all there are', async (_, scope, most) => {
  const plans: { readonly Plan: PlanNode }[] = [];
  const explained = {
    query: async (text: string, values: readonly unknown[]) => {
      if (!text.includes('dead-lettered')) return await database.query(text, values);
      const [row] = await database.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      plans.push(...(row?.['QUERY PLAN'] ?? []));
      return [];
    },
  };
  await new PgJobReads(explained as never).deadLetters({ namespace: 'default', ...scope }, { limit: LIMIT, after: null });
  expect(plans).toHaveLength(1);
  for (const { Plan } of plans) expect(looked(Plan)).toBeLessThanOrEqual(most);
});
