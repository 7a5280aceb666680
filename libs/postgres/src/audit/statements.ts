import { COUNTER_COLUMNS } from '../log/counters.js';

/** Nothing below the line is read: its rows wait for their period to be dropped. */
const ABOVE_LINE = '(SELECT retention_line FROM jobwarden.installation)';

const ROW = `
SELECT encode(j.job_key, 'hex') AS key, j.queue_id, j.shard, j.period, j.job_id, q.namespace, q.queue, j.kind, j.status,
       j.attempt, j.n, j.row_version, j.fold_version, j.since_ms, j.worker, j.state
FROM jobwarden.jobs j JOIN jobwarden.queues q USING (queue_id)`;

export const ROWS_AFTER = `${ROW}
WHERE j.job_key > $1 AND j.period >= ${ABOVE_LINE} ORDER BY j.job_key LIMIT $2`;
export const ROW_ONLY = `${ROW}
WHERE j.job_key = $1 AND j.period >= ${ABOVE_LINE}`;
/** In key order, as every writer locks. */
export const FOR_UPDATE = ' FOR UPDATE OF j';

/** In pages along the unique index of (job, event), whatever the length of one job's log; null = no upper key. */
export const EVENTS = `
SELECT encode(e.job_key, 'hex') AS key, encode(e.event_key, 'hex') AS event_key, e.period, e.shard, e.type, e.n, e.source,
       e.id, e.lane_ms, e.data
FROM jobwarden.events e
WHERE (e.job_key, e.event_key, e.period) > ($1::bytea, $2::bytea, $3::integer)
  AND ($4::bytea IS NULL OR e.job_key <= $4) AND e.period >= ${ABOVE_LINE}
ORDER BY e.job_key, e.event_key, e.period LIMIT $5`;

/** What stood behind the row's schedule is gone: it is due at once, for whoever knows the policies to plan it anew. */
export const REWRITE = `
UPDATE jobwarden.jobs j
SET kind = u.kind, status = u.status, attempt = u.attempt, n = u.n, row_version = j.row_version + 1,
    fold_version = u.fold_version, since_ms = u.since_ms, worker = u.worker, state = u.state,
    look_at_ms = CASE WHEN u.look_now THEN now.ms ELSE j.look_at_ms END,
    waits_for = CASE WHEN u.look_now THEN 'decision' ELSE j.waits_for END,
    held_by = CASE WHEN u.look_now THEN NULL ELSE j.held_by END,
    held_since_ms = CASE WHEN u.look_now THEN NULL ELSE j.held_since_ms END
FROM unnest($1::bytea[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::smallint[], $7::bigint[], $8::text[],
            $9::text[], $10::boolean[])
  AS u (job_key, kind, status, attempt, n, fold_version, since_ms, worker, state, look_now),
  (SELECT jobwarden.lane_now() AS ms) now
WHERE j.job_key = u.job_key`;

export const RECORD_DRIFTS = `
INSERT INTO jobwarden.drifts (job_key, stored, refolded, repaired)
SELECT u.*, true FROM unnest($1::bytea[], $2::text[], $3::text[]) AS u`;

/** Conflicts with itself alone: writers of the table and readers go on. */
export const ONE_AT_A_TIME = 'LOCK TABLE jobwarden.drifts IN SHARE UPDATE EXCLUSIVE MODE';

export const COUNTED_ROWS = `
DECLARE counted NO SCROLL CURSOR FOR
SELECT queue_id, shard, state FROM jobwarden.jobs WHERE shard = ANY ($1::smallint[]) AND row_version > 0`;
export const FETCH_COUNTED = 'FETCH 1000 FROM counted';

export const COUNTERS = `
SELECT queue_id, shard, ${COUNTER_COLUMNS.join(', ')} FROM jobwarden.queue_counters WHERE shard = ANY ($1::smallint[])`;
export const RUN_TIMES = `
SELECT queue_id, shard, kind, bucket, count FROM jobwarden.run_times WHERE shard = ANY ($1::smallint[])`;
/** The shard of a job is its key's first four bytes, modulo. */
export const RETIRED = `
SELECT queue_id, shard, status, count(*) AS count
FROM (SELECT queue_id, status,
             (('x' || encode(substr(job_key, 1, 4), 'hex'))::bit(32)::bigint % (SELECT shards FROM jobwarden.installation)) AS shard
      FROM jobwarden.job_summaries) s
WHERE shard = ANY ($1::bigint[]) GROUP BY queue_id, shard, status`;
export const QUEUES = `SELECT queue_id, namespace, queue FROM jobwarden.queues`;

export const COUNT_ROWS = `SELECT count(*) AS rows FROM (SELECT FROM jobwarden.jobs LIMIT $1) j`;
export const NEWEST_FOLD = `SELECT coalesce(max(fold_version), 0) AS version FROM jobwarden.jobs`;

/** Of events of jobs, and of steps of incidents: they share the shard's counter. */
const NUMBERED = `(
  SELECT shard, number FROM jobwarden.events UNION ALL SELECT shard, number FROM jobwarden.incident_steps) e`;

export const SHARD = `
SELECT s.number, (SELECT coalesce(max(e.number), 0) FROM ${NUMBERED} WHERE e.shard = $1) AS last,
       (SELECT retention_line = -2147483648 FROM jobwarden.installation) AS whole
FROM jobwarden.shards s WHERE s.shard = $1`;
export const NUMBERS = `
SELECT count(*) AS entries, count(DISTINCT number) AS numbers
FROM ${NUMBERED} WHERE e.shard = $1 AND e.number > $2 AND e.number <= $3`;
export const BEYOND = `
SELECT count(*) AS entries FROM ${NUMBERED} WHERE e.shard = $1 AND e.number > $2`;

/** At rest: a would-have of the current attempt stands, and nothing has happened since. */
export const UNFINISHED = `
SELECT encode(j.job_key, 'hex') AS key, j.job_id, q.namespace, q.queue, j.look_at_ms, j.waits_for,
       EXISTS (SELECT FROM jobwarden.verdicts v
               WHERE v.job_key = j.job_key AND v.attempt = j.attempt AND v.kind = 'report') AS reported
FROM jobwarden.jobs j JOIN jobwarden.queues q USING (queue_id)
WHERE j.job_key > $1 AND j.row_version > 0
  AND j.status NOT IN ('succeeded', 'dead-lettered', 'cancelled', 'discarded')
  AND ($3::text[] IS NULL OR (q.namespace, q.queue) IN (SELECT * FROM unnest($3::text[], $4::text[])))
  AND NOT (j.look_at_ms IS NULL AND EXISTS (
    SELECT FROM jobwarden.verdicts v
    WHERE v.job_key = j.job_key AND v.attempt = j.attempt AND v.kind = 'would-have'
      AND v.state IN ('shown', 'proposed', 'approved', 'expired')))
ORDER BY j.job_key LIMIT $2`;
