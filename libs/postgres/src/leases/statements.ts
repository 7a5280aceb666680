import { rowsOf } from '../arrays.js';
import { SAMPLE_SLOT_MS } from './worker-sample.js';

/** Leases first, in key order, then worker rows: the order of every transaction that touches both. */

const BEATS = rowsOf({
  ...{ job_key: 'bytea', attempt: 'integer', lease_ms: 'bigint', progress: 'text', at_ms: 'bigint', token: 'bigint' },
});

/** Whoever does not name the token of the claim that began a lease renews nothing. */
export const RENEW = `
WITH wanted AS MATERIALIZED (SELECT * FROM ${BEATS} AS w ORDER BY job_key, attempt),
locked AS MATERIALIZED (
  SELECT w.* FROM wanted w CROSS JOIN LATERAL (
    SELECT FROM jobwarden.leases
    WHERE job_key = w.job_key AND attempt = w.attempt AND (token IS NULL OR token = w.token) FOR UPDATE) AS l),
now AS MATERIALIZED (SELECT jobwarden.lane_now() AS ms)
UPDATE jobwarden.leases l
SET beat_ms = greatest(l.beat_ms, coalesce(w.at_ms, now.ms)), lease_ms = coalesce(w.lease_ms, l.lease_ms),
    progress = coalesce(w.progress, l.progress), lane = $7, worker_key = coalesce($8::bytea, l.worker_key)
FROM now, locked w WHERE l.job_key = w.job_key AND l.attempt = w.attempt`;

/** A beat for a job that nobody has told of: kept, so that it can be shown, and bounded by a purge. */
export const KEEP_UNKNOWN = `
INSERT INTO jobwarden.leases AS l (job_key, attempt, beat_ms, lease_ms, worker_key, lane, progress)
SELECT w.job_key, w.attempt, coalesce(w.at_ms, jobwarden.lane_now()), w.lease_ms, $8::bytea, $7, w.progress
FROM ${BEATS} AS w
ORDER BY w.job_key, w.attempt
ON CONFLICT (job_key, attempt) DO UPDATE SET beat_ms = greatest(l.beat_ms, excluded.beat_ms)`;

/**
 * What the worker no longer names keeps the life it had up to the worker's last beat. A lease that was claimed is named
 * by its token too, any other (-1) by the attempt alone.
 */
export const LET_GO = `
WITH named AS (SELECT * FROM unnest($2::bytea[], $3::integer[], $4::bigint[]) AS n (job_key, attempt, token)),
held AS (SELECT job_key, attempt, token FROM named UNION ALL SELECT job_key, attempt, -1 FROM named),
gone AS MATERIALIZED (
  SELECT l.job_key, l.attempt FROM jobwarden.leases l
  WHERE l.worker_key = $1 AND NOT EXISTS (
    SELECT FROM held h WHERE h.job_key = l.job_key AND h.attempt = l.attempt
      AND h.token = coalesce(l.token, -1))
  ORDER BY l.job_key, l.attempt FOR UPDATE)
UPDATE jobwarden.leases l SET worker_key = NULL, beat_ms = greatest(l.beat_ms, $5)
FROM gone WHERE l.job_key = gone.job_key AND l.attempt = gone.attempt`;

export const READ_WORKER = `
SELECT encode(held_hash, 'hex') AS held_hash, beat_ms, row_version FROM jobwarden.workers WHERE worker_key = $1`;

/** With a sample of how its process stands, unless there is one of this stretch: $13 is its last beat's lane time. */
export const BEAT_WORKER = `
WITH now AS MATERIALIZED (SELECT coalesce($12::bigint, jobwarden.lane_now()) AS ms),
sampled AS (
  INSERT INTO jobwarden.worker_samples (worker_key, slot_ms, namespace, worker_id, revision, track, queues, heap_used,
                                        heap_limit, rss, loop_lag_ms, pool_in_use, pool_waiting, lock_waits)
  SELECT $1::bytea, ms - ms % ${String(SAMPLE_SLOT_MS)}, $2::text, $3::text, $5::text, $6::text, $14::text[], $15::bigint, $16::bigint, $17::bigint,
         $18::bigint, $19::bigint, $20::bigint, $21::text
  FROM now WHERE $14::text[] IS NOT NULL AND ms / ${String(SAMPLE_SLOT_MS)} > $13::bigint / ${String(SAMPLE_SLOT_MS)}
  ON CONFLICT (worker_key, slot_ms) DO NOTHING)
INSERT INTO jobwarden.workers AS w (worker_key, namespace, worker_id, incarnation, revision, track, beat_ms, lane,
                                    held_hash, unknown, runtime)
SELECT $1::bytea, $2::text, $3::text, $4::text, $5::text, $6::text, now.ms, $7::smallint, $8::bytea, $9::text, $10::text
FROM now WHERE true
ON CONFLICT (worker_key) DO UPDATE
SET beat_ms = greatest(w.beat_ms, excluded.beat_ms), lane = excluded.lane, held_hash = excluded.held_hash,
    unknown = excluded.unknown, runtime = coalesce(excluded.runtime, w.runtime), revision = excluded.revision,
    track = excluded.track, row_version = w.row_version + 1
WHERE w.row_version = $11
RETURNING 1`;

export const ANSWERS = `
SELECT encode(w.job_key, 'hex') AS key, w.attempt, l.found IS NOT NULL AS lease, l.token,
       j.status, j.attempt AS current, j.open_verdicts
FROM ${rowsOf({ job_key: 'bytea', attempt: 'integer' })} AS w
LEFT JOIN LATERAL (
  SELECT true AS found, token FROM jobwarden.leases WHERE job_key = w.job_key AND attempt = w.attempt OFFSET 0) AS l ON true
LEFT JOIN LATERAL (
  SELECT status, attempt, open_verdicts FROM jobwarden.jobs
  WHERE job_key = w.job_key AND row_version > 0 OFFSET 0) AS j ON true`;

/** Rows that nothing refers to any more: of unknown jobs, of finished ones, of workers long gone. */
export const PURGE_LEASES = `
DELETE FROM jobwarden.leases l
WHERE l.beat_ms < (SELECT jobwarden.lane_now()) - $1 AND NOT EXISTS (
  SELECT FROM jobwarden.jobs j WHERE j.job_key = l.job_key AND j.attempt = l.attempt
    AND j.status IN ('processing', 'restart-requested', 'incomplete'))`;
export const PURGE_WORKERS = `
DELETE FROM jobwarden.workers w
WHERE w.beat_ms < (SELECT jobwarden.lane_now()) - $1
  AND NOT EXISTS (SELECT FROM jobwarden.leases l WHERE l.worker_key = w.worker_key)`;
