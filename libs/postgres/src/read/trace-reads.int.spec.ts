import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { INCOMPLETE } from './trace-statements.js';

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const JOBS = 20_000;
const PAGE = 100;

/** Of each scan of jobs, how many rows it looked at. */
function looked(node: PlanNode): number[] {
  const own = node['Relation Name'] === 'jobs' ? [node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)] : [];
  return [...own, ...(node.Plans ?? []).flatMap(looked)];
}

describe('a page of incomplete traces', () => {
  const place = useTestDatabase();
  let client: pg.Client;
  let queueId: number;

  beforeAll(async () => {
    client = new pg.Client({ connectionString: place.url });
    await client.connect();
    const { rows } = await client.query<{ queue_id: number }>(`INSERT INTO jobwarden.queues (namespace, queue) VALUES ('default', 'q') RETURNING queue_id`);
    queueId = rows[0]?.queue_id ?? 0;
    await client.query(
      `INSERT INTO jobwarden.jobs (job_key, shard, queue_id, period, job_id, status, since_ms, row_version)
       SELECT decode(md5(i::text), 'hex'), 0, $1, 1, 'j' || i, (ARRAY['failed', 'incomplete', 'queued', 'requeued'])[1 + i % 4], i, 1 FROM generate_series(1, $2::integer) i`,
      [queueId, JOBS],
    );
    await client.query('ANALYZE jobwarden.jobs');
  });
  afterAll(() => client.end());

  const page = async (sinceMs: number | null, after: readonly [number, number]) => {
    const values = [[queueId], [JOBS + 1], sinceMs, ...after, Buffer.alloc(0), PAGE];
    const [plan] = (await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${INCOMPLETE}`, values)).rows;
    const { rows } = await client.query<{ since_ms: string }>(INCOMPLETE, values);
    if (plan === undefined) throw new Error('no plan');
    return { most: Math.max(...looked(plan['QUERY PLAN'][0].Plan)), times: rows.map((row) => Number(row.since_ms)) };
  };

  it.each([
    ['first of all', null, [0, -1], 1],
    ['one in the middle', null, [1, JOBS / 2], JOBS / 2],
    ['first since a time', JOBS / 2, [0, -1], JOBS / 2],
  ] as const)('looks at no more jobs of a standing than it may hold, however many there are: the %s', async (_, sinceMs, after, first) => {
    const { most, times } = await page(sinceMs, after);
    expect(times).toEqual(Array.from({ length: PAGE }, (__, i) => first + i));
    expect(most).toBeLessThanOrEqual(2 * PAGE);
  });
});
