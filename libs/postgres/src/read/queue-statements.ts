import { JOB_STATUSES, RUN_TIME_BUCKETS } from '#libs/domain';
import { NATIVE_OF, WAITING_OF } from './waiting.js';

/** Sums of the counters over the shards, as `c_<column>`. */
const COUNTERS = [
  ...JOB_STATUSES.map((status) => status.replaceAll('-', '_')),
  'attempts_succeeded',
  'attempts_failed',
  'attempts_lost',
];
const SUMS = COUNTERS.map((column) => `sum(${column})::bigint AS c_${column}`).join(', ');

/** Of each status the oldest by an index look-up: the jobs themselves are never walked. */
function oldest(statuses: readonly string[]): string {
  const one = (status: string) =>
    `SELECT (SELECT j.since_ms FROM jobwarden.jobs j WHERE j.queue_id = q.queue_id AND j.status = '${status}'
       ORDER BY j.since_ms LIMIT 1) AS since_ms`;
  return `SELECT min(since_ms) FROM (${statuses.map(one).join(' UNION ALL ')}) AS o`;
}

const WAITING = ['queued', 'requeued', 'retrying'] as const;

/** Below act a lost job stays in processing; what says so is a would-have that stands. */
const SUSPECTED = `
SELECT count(DISTINCT v.job_key) FROM jobwarden.verdicts v
JOIN jobwarden.jobs j ON j.job_key = v.job_key AND j.attempt = v.attempt AND j.status = 'processing'
WHERE v.queue_id = q.queue_id AND v.kind = 'would-have'
  AND v.state IN ('shown', 'proposed', 'approved', 'expired') AND v.verdict IN ('lost', 'hung')`;

const QUEUE = `
SELECT q.namespace, q.queue, c.*, jobwarden.lane_now() AS now_ms,
  (${SUSPECTED}) AS suspected,
  (${oldest(WAITING)}) AS oldest_ms,
  (SELECT json_agg(r) FROM (
     SELECT bucket, sum(count)::bigint AS count FROM jobwarden.run_times
     WHERE queue_id = q.queue_id AND bucket < ${RUN_TIME_BUCKETS} GROUP BY bucket) AS r) AS run_times,
  (SELECT json_build_object('waiting', s.waiting, 'oldestAgeMs', s.oldest_age_ms, 'paused', s.paused,
                            'reportedMs', s.reported_ms)
   FROM jobwarden.queue_states s WHERE s.queue_id = q.queue_id) AS native,
  g.blackout_ms, g.probing_ms, g.evidence
FROM jobwarden.queues q
LEFT JOIN jobwarden.queue_guards g ON g.queue_id = q.queue_id
LEFT JOIN LATERAL (SELECT ${SUMS} FROM jobwarden.queue_counters k WHERE k.queue_id = q.queue_id) AS c ON true`;

// By bytes: the database's own collation may order names in a way that a cursor does not survive.
export const QUEUE_PAGE = `${QUEUE}
WHERE q.namespace = $1 AND ($2::text IS NULL OR q.queue COLLATE "C" > $2)
ORDER BY q.queue COLLATE "C" LIMIT $3`;

export const ONE_QUEUE = `${QUEUE} WHERE q.namespace = $1 AND q.queue = $2`;

export const NAMESPACES = `
SELECT DISTINCT namespace COLLATE "C" AS namespace FROM jobwarden.queues ORDER BY 1 LIMIT $1`;

/** The time is asked once: asked of every row, the indexes would be no help. */
export const DEPTHS = `
SELECT q.namespace, q.queue, ${WAITING_OF} AS waiting, u.unresolved_ms,
  coalesce(${NATIVE_OF('oldest_age_ms')}, (SELECT jobwarden.lane_now()) - (${oldest(WAITING)})) AS waiting_ms
FROM jobwarden.queues q
LEFT JOIN LATERAL (
  SELECT jobwarden.lane_now() - least(held.since_ms, overdue.since_ms) AS unresolved_ms
  FROM (SELECT min(held_since_ms) AS since_ms FROM jobwarden.jobs j WHERE j.queue_id = q.queue_id
          AND held_since_ms < (SELECT jobwarden.lane_now()) - $1::bigint) held,
       (SELECT min(look_at_ms) AS since_ms FROM jobwarden.jobs j WHERE j.queue_id = q.queue_id
          AND look_at_ms < (SELECT jobwarden.lane_now()) - $1::bigint) overdue
) AS u ON true`;

export const HELD_JOBS = `
SELECT coalesce(held_by, 'other') AS by, count(*) AS count FROM jobwarden.jobs WHERE held_since_ms IS NOT NULL GROUP BY 1`;
export const HELD_QUEUES = `
SELECT q.queue, held.by FROM jobwarden.queue_guards g JOIN jobwarden.queues q USING (queue_id)
CROSS JOIN LATERAL (VALUES ('blackout', g.blackout_ms), ('probing', g.probing_ms)) AS held (by, since_ms)
WHERE held.since_ms IS NOT NULL`;

/** Whoever publishes shard 0: a lease that there is anyway, and that one replica holds. */
export const IS_EXPORTER = `
SELECT coalesce(bool_or(holder::text = $1), false) AS mine FROM jobwarden.publishers WHERE shard = 0`;

/** Of every session that holds a snapshot, in any database of the server: each keeps dead rows of all. */
export const OLDEST_XMIN = `
SELECT (max(extract(epoch FROM clock_timestamp() - coalesce(xact_start, query_start))) * 1000)::bigint AS age_ms
FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()`;

/** Partitions are left out: of the log no row is ever updated. */
export const DEAD_ROWS = `
SELECT s.relname::text AS "table", n_dead_tup::float8 / greatest(n_live_tup + n_dead_tup, 1) AS ratio
FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
WHERE s.schemaname = 'jobwarden' AND c.relkind = 'r' AND NOT c.relispartition ORDER BY s.relname`;
