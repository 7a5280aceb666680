import { decodeEvent, type EventRecord } from '#libs/application';
import { foldJob, stateToJson } from '#libs/domain';
import type { Database } from '#libs/postgres';
import { connectedTo } from './bench-server.js';
import type { Count } from './figure.js';

interface StoredEvent extends EventRecord {
  readonly key: string;
}

/** Jobs per look: so many rows and their events fit into memory together. */
const PAGE = 5_000;

/** Refolds every job's events and compares the text: how many rows equal their folds. */
export async function folds(database: Database): Promise<Count> {
  let after = Buffer.alloc(0);
  let rows = 0;
  let equal = 0;
  for (;;) {
    const jobs = await database.query<{ key: string; state: string }>(
      `SELECT encode(job_key, 'hex') AS key, state FROM jobwarden.jobs WHERE job_key > $1 ORDER BY job_key LIMIT $2`,
      [after, PAGE],
    );
    const last = jobs.at(-1);
    if (last === undefined) return { of: 'jobs that equal the fold of their events', expected: rows, found: equal };
    const upTo = Buffer.from(last.key, 'hex');
    const byJob = Map.groupBy(await eventsBetween(database, after, upTo), (e) => e.key);
    for (const { key, state } of jobs) {
      if (state === stateToJson(foldJob((byJob.get(key) ?? []).map(decodeEvent)))) equal += 1;
    }
    rows += jobs.length;
    after = upTo;
  }
}

async function eventsBetween(database: Database, after: Buffer, upTo: Buffer): Promise<readonly StoredEvent[]> {
  return await database.query<StoredEvent>(
    `SELECT encode(job_key, 'hex') AS key, type, n, source, id, lane_ms AS "laneMs", data
     FROM jobwarden.events WHERE job_key > $1 AND job_key <= $2`,
    [after, upTo],
  );
}

/** `query` answers one row with one number, `count`. */
export async function counted(database: Database, of: string, expected: number, query: string): Promise<Count> {
  const [row] = await database.query<{ count: unknown }>(query);
  return { of, expected, found: Number(row?.count) };
}

/** What must hold of a log to which `events` were appended. */
export async function logCounts(database: Database, events: number): Promise<readonly Count[]> {
  return [
    await counted(database, 'events in the log', events, 'SELECT count(*) FROM jobwarden.events'),
    await counted(
      database,
      'numbers given to events',
      events,
      `SELECT (SELECT sum(number)::bigint FROM jobwarden.shards) - (SELECT count(*) FROM jobwarden.incident_steps) AS count`,
    ),
    await counted(
      database,
      'different numbers up to the last one of their shard',
      events,
      `SELECT count(*) FROM (SELECT DISTINCT shard, number FROM jobwarden.events) AS e JOIN jobwarden.shards s USING (shard)
       WHERE e.number BETWEEN 1 AND s.number`,
    ),
    await folds(database),
    await countersOf(database),
  ];
}

async function countersOf(database: Database): Promise<Count> {
  const [row] = await database.query<{ jobs: number; counted: unknown }>(`
    SELECT (SELECT count(*) FROM jobwarden.jobs WHERE status = 'succeeded') AS jobs,
           (SELECT sum(succeeded)::bigint FROM jobwarden.queue_counters) AS counted`);
  return { of: 'succeeded jobs by the counters', expected: row?.jobs ?? 0, found: Number(row?.counted) };
}

/** How often these tables were read as a whole. Of connections that have ended: an open one tells its share later. */
export async function wholeReads(url: string, tables: readonly string[]): Promise<number> {
  return await connectedTo(url, async (client) => {
    const { rows } = await client.query<{ reads: number }>(
      `SELECT coalesce(sum(seq_scan), 0)::integer AS reads FROM pg_stat_user_tables
       WHERE schemaname = 'jobwarden' AND relname = ANY ($1)`,
      [tables],
    );
    return rows[0]?.reads ?? Number.NaN;
  });
}
