/** The writer's statements, in the order in which a transaction runs them. */

/** BEGIN and the transaction's frame in one round trip. */
export const BEGIN = `BEGIN; SELECT jobwarden.lane_now() AS lane_ms, i.epoch, i.actions_enabled, i.retention_line, l.gap_end_ms
FROM jobwarden.installation i, jobwarden.lanes l WHERE l.lane = 0`;

export const INSERT_MISSING = `
INSERT INTO jobwarden.jobs (job_key, shard, queue_id, period, job_id)
SELECT t.job_key, t.shard, t.queue_id, $5, t.job_id
FROM unnest($1::bytea[], $2::smallint[], $3::integer[], $4::text[]) AS t (job_key, shard, queue_id, job_id)
WHERE NOT EXISTS (SELECT FROM jobwarden.job_summaries s WHERE s.job_key = t.job_key)
ORDER BY t.job_key
ON CONFLICT (job_key) DO NOTHING`;

const LOCK = `
SELECT encode(job_key, 'hex') AS key, queue_id, shard, period, row_version, fold_version, open_verdicts, state,
       coalesce(held_since_ms, look_at_ms) AS due_ms
FROM jobwarden.jobs WHERE job_key = ANY ($1::bytea[]) ORDER BY job_key FOR UPDATE`;
export const LOCK_WAIT = LOCK;
export const LOCK_SKIP = `${LOCK} SKIP LOCKED`;

export const KNOWN_EVENTS = `
SELECT encode(e.job_key, 'hex') AS key, encode(e.event_key, 'hex') AS event_key,
       encode(e.content_hash, 'hex') AS content_hash, e.shard, e.number
FROM unnest($1::bytea[], $2::bytea[], $3::integer[]) AS w (job_key, event_key, period)
JOIN jobwarden.events e ON e.job_key = w.job_key AND e.event_key = w.event_key AND e.period = w.period`;

const LEASES = `
SELECT encode(job_key, 'hex') AS key, attempt, beat_ms, lease_ms, encode(worker_key, 'hex') AS worker_key, progress
FROM jobwarden.leases WHERE job_key = ANY ($1::bytea[]) ORDER BY job_key, attempt`;
export const LEASES_READ = LEASES;
export const LEASES_LOCK = `${LEASES} FOR UPDATE`;

const WORKER_BEATS = `
SELECT encode(worker_key, 'hex') AS worker_key, beat_ms
FROM jobwarden.workers WHERE worker_key = ANY ($1::bytea[]) ORDER BY worker_key`;
export const WORKER_BEATS_READ = WORKER_BEATS;
export const WORKER_BEATS_LOCK = `${WORKER_BEATS} FOR SHARE`;

export const QUARANTINE_HOLDS = `
SELECT DISTINCT encode(named.job_key, 'hex') AS key
FROM jobwarden.quarantine q CROSS JOIN LATERAL unnest(q.job_keys) AS named (job_key)
WHERE q.outcome = 'open' AND q.job_keys && $1::bytea[] AND named.job_key = ANY ($1::bytea[])`;

export const UPDATE_JOBS = `
UPDATE jobwarden.jobs j
SET kind = u.kind, status = u.status, attempt = u.attempt, n = u.n, row_version = j.row_version + 1,
    fold_version = u.fold_version, waits_for = u.waits_for, since_ms = u.since_ms, look_at_ms = u.look_at_ms,
    worker = u.worker, held_by = NULL, held_since_ms = NULL, open_verdicts = coalesce(u.open_verdicts, j.open_verdicts), state = u.state
FROM unnest($1::bytea[], $2::integer[], $3::text[], $4::text[], $5::integer[], $6::integer[], $7::smallint[],
            $8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::smallint[], $13::text[])
  AS u (job_key, seen, kind, status, attempt, n, fold_version, waits_for, since_ms, look_at_ms, worker,
        open_verdicts, state)
WHERE j.job_key = u.job_key AND j.row_version = u.seen
RETURNING 1`;

/** Only when it is looked at next, and whether something was said of it: no new fold, so no new version. */
export const RESCHEDULE_JOBS = `
UPDATE jobwarden.jobs j
SET look_at_ms = u.look_at_ms, waits_for = u.waits_for, open_verdicts = coalesce(u.open_verdicts, j.open_verdicts),
    held_by = u.held_by, held_since_ms = u.held_since_ms
FROM unnest($1::bytea[], $2::bigint[], $3::text[], $4::smallint[], $5::text[], $6::bigint[])
  AS u (job_key, look_at_ms, waits_for, open_verdicts, held_by, held_since_ms)
WHERE j.job_key = u.job_key`;

export const UPSERT_LEASES = `
INSERT INTO jobwarden.leases AS l (job_key, attempt, beat_ms, lease_ms, worker_key, lane, progress)
SELECT * FROM unnest($1::bytea[], $2::integer[], $3::bigint[], $4::bigint[], $5::bytea[], $6::smallint[], $7::text[])
  AS u (job_key, attempt, beat_ms, lease_ms, worker_key, lane, progress)
ORDER BY u.job_key, u.attempt
ON CONFLICT (job_key, attempt) DO UPDATE
SET lease_ms = CASE WHEN excluded.beat_ms >= l.beat_ms THEN excluded.lease_ms ELSE l.lease_ms END,
    progress = CASE WHEN excluded.beat_ms >= l.beat_ms THEN coalesce(excluded.progress, l.progress) ELSE l.progress END,
    worker_key = coalesce(excluded.worker_key, l.worker_key),
    beat_ms = greatest(excluded.beat_ms, l.beat_ms)`;

export const DELETE_LEASES = `
DELETE FROM jobwarden.leases WHERE job_key = ANY ($1::bytea[])`;

export const UPSERT_VERDICTS = `
INSERT INTO jobwarden.verdicts AS v (job_key, queue_id, attempt, kind, verdict, reason, action, level, decision,
                                     threshold_source, threshold_ms, worker, first_ms, last_ms)
SELECT u.*, $13::bigint, $13::bigint
FROM unnest($1::bytea[], $2::integer[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
            $9::text[], $10::text[], $11::bigint[], $12::text[]) AS u
ON CONFLICT (job_key, attempt, kind, reason) DO UPDATE SET times = v.times + 1, last_ms = excluded.last_ms`;

/** Wrong always wins: a later sign of life overrules what time has confirmed. */
export const GRADE_VERDICTS = `
UPDATE jobwarden.verdicts v SET grade = u.grade, graded_ms = $4
FROM unnest($1::bytea[], $2::integer[], $3::text[]) AS u (job_key, attempt, grade)
WHERE v.job_key = u.job_key AND v.attempt = u.attempt AND v.kind = 'would-have'
  AND (v.grade = 'open' OR (u.grade = 'wrong' AND v.grade = 'confirmed'))`;

export const INSERT_BODIES = `
INSERT INTO jobwarden.bodies (period, job_key, hash, role, bytes)
SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bytea[], $4::text[], $5::bytea[])
ON CONFLICT (job_key, hash, period) DO NOTHING`;

/** Last of all: the shards' numbers, locked in order and held to the commit. */
export const TAKE_NUMBERS = `
WITH wanted AS (SELECT * FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, count)),
locked AS MATERIALIZED (
  SELECT shard, number FROM jobwarden.shards WHERE shard IN (SELECT shard FROM wanted) ORDER BY shard FOR UPDATE)
UPDATE jobwarden.shards s SET number = l.number + w.count
FROM locked l JOIN wanted w USING (shard) WHERE s.shard = l.shard
RETURNING s.shard, l.number`;

export const APPEND = `
INSERT INTO jobwarden.events (period, shard, number, job_key, event_key, content_hash, type, n, lane, lane_ms,
                              goes_out, source, id, data)
SELECT * FROM unnest($1::integer[], $2::smallint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[],
                     $7::smallint[], $8::integer[], $9::smallint[], $10::bigint[], $11::boolean[], $12::text[],
                     $13::text[], $14::text[])`;
