import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { rowsOf } from '../arrays.js';
import { BEGIN_BY_KEY, Database } from '../database.js';
import { SUSPECTS } from '../guards/blackout-statements.js';
import * as leases from '../leases/statements.js';
import { DEPTHS } from '../read/queue-statements.js';
import { UPSERT_COUNTERS, UPSERT_RUN_TIMES } from './counters.js';
import { periodOf } from './periods.js';
import * as sql from './statements.js';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Join Filter'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** BEGIN is no statement with a plan; the purges read whole tables, now and then. */
const NO_LOOK_UP = ['BEGIN', 'BEGIN_CLAIM', 'PURGE_LEASES', 'PURGE_WORKERS'];
const STATEMENTS = Object.entries({ ...sql, UPSERT_COUNTERS, UPSERT_RUN_TIMES, ...leases }).filter(
  ([name]) => !NO_LOOK_UP.includes(name),
);

/** One row each: there is nothing to look up in. */
const SINGLE_ROW_TABLES = new Set(['installation', 'lanes']);
/** What narrows a look-up to the rows of a job, a worker or a shard. */
const KEY = /(job_key|job_keys|worker_key|shard) (=|&&)/;

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Why a plan reads more than the rows that were asked for; empty: it does not. */
function faultsOf(plan: PlanNode): string[] {
  return nodesOf(plan).flatMap((node) => {
    const type = node['Node Type'];
    if (type === 'Seq Scan' && !SINGLE_ROW_TABLES.has(node['Relation Name'] ?? '')) {
      return [`reads all of ${node['Relation Name'] ?? ''}`];
    }
    if (node['Join Filter'] !== undefined) return [`joins by comparing all: ${node['Join Filter']}`];
    if (!type.includes('Index')) return [];
    return KEY.test(node['Index Cond'] ?? '') ? [] : [`walks an index: ${node['Index Cond'] ?? 'without a condition'}`];
  });
}

describe('the plans of the writer and of heartbeats', () => {
  const database = useTestDatabase();
  let db: Database;

  async function planOf(statement: string, begin = BEGIN_BY_KEY): Promise<PlanNode> {
    return await db.connected(async (client) => {
      await client.query(begin);
      const [row] = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${statement}`);
      await client.query('ROLLBACK');
      const plan = row?.['QUERY PLAN'][0]?.Plan;
      if (plan === undefined) throw new Error('no plan');
      return plan;
    });
  }

  beforeAll(async () => {
    db = new Database({ url: database.url });
    const period = periodOf(Date.now());
    for (const p of [period - 1, period]) await db.query('SELECT jobwarden.ensure_period($1)', [p]);
  });
  afterAll(async () => {
    await db.close();
  });

  it.each(STATEMENTS)('look rows up by key on an empty database, where any plan is cheap: %s', async (_name, text) => {
    expect(faultsOf(await planOf(text))).toEqual([]);
  });

  it.each([
    ['of who may be lost', SUSPECTS],
    ['of how deep queues are', DEPTHS],
  ])('find what is due by its index, the time being asked once: %s', async (_name, text) => {
    const conditions = nodesOf(await planOf(text)).map((node) => node['Index Cond'] ?? '');
    expect(conditions.some((condition) => /look_at_ms <=? /.test(condition))).toBe(true);
  });

  it('would not, were the choice left to the planner', async () => {
    const plain = `SELECT e.number FROM ${rowsOf({ job_key: 'bytea', event_key: 'bytea' })} AS w
      JOIN jobwarden.events e ON e.job_key = w.job_key AND e.event_key = w.event_key AND e.period = $3`;
    expect(faultsOf(await planOf(plain, 'BEGIN'))).not.toEqual([]);
    expect(faultsOf(await planOf(leases.RENEW, 'BEGIN'))).not.toEqual([]);
  });

  it('stay the same on tables that have grown and were analyzed', async () => {
    await db.query(`
      INSERT INTO jobwarden.jobs (job_key, shard, queue_id, period, job_id, row_version)
      SELECT substring(sha256(g::text::bytea) FROM 1 FOR 16), g % 16, 1, ${String(periodOf(Date.now()))}, g::text, 1
      FROM generate_series(1, 20000) g`);
    await db.query(`
      INSERT INTO jobwarden.events (period, shard, number, job_key, event_key, type, lane, lane_ms, goes_out, source, id, data)
      SELECT period, shard, row_number() OVER (PARTITION BY shard), job_key, job_key, 1, 0, 0, false, '', '', '{}' FROM jobwarden.jobs`);
    await db.query(`
      INSERT INTO jobwarden.leases (job_key, attempt, beat_ms, worker_key, lane)
      SELECT job_key, 1, 0, substring(job_key FROM 1 FOR 1), 0 FROM jobwarden.jobs`);
    await db.query('ANALYZE');
    for (const [name, text] of STATEMENTS) expect([name, faultsOf(await planOf(text))]).toEqual([name, []]);
  });
});
