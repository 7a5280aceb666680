import { FINISHED, JOB_STATUSES } from '#libs/domain';

/** What a comparison with somebody else's view reads. */

export const LANE_NOW = `SELECT jobwarden.lane_now() AS now_ms`;

/** A row of version 0 was made by a writer that then had nothing to write: it is not there yet. */
export const STANDINGS = `
SELECT encode(job_key, 'hex') AS key, status, attempt, since_ms FROM jobwarden.jobs
WHERE job_key = ANY ($1::bytea[]) AND row_version > 0
UNION ALL
SELECT encode(job_key, 'hex'), status, attempt, since_ms FROM jobwarden.job_summaries WHERE job_key = ANY ($1::bytea[])`;

/**
 * One status at a time, along the index of what has not succeeded: the queue's finished jobs, nearly all there are,
 * are never walked. Since when a status holds does not change while it does, so a page goes on where the last ended.
 */
export const LIVE = `
SELECT encode(j.job_key, 'hex') AS key, j.job_id, j.status, j.attempt, j.since_ms
FROM jobwarden.jobs j
WHERE j.queue_id = (SELECT queue_id FROM jobwarden.queues WHERE namespace = $1 AND queue = $2)
  AND j.status = $3 AND j.status <> 'succeeded' AND j.row_version > 0 AND j.since_ms <= $4
  AND (j.since_ms, j.job_key) > ($5::bigint, $6::bytea)
ORDER BY j.since_ms, j.job_key LIMIT $7`;

export const LIVE_STATUSES = JOB_STATUSES.filter((status) => !FINISHED.has(status));

/** Code 6: succeeded. Keys of all attempts, since nobody can tell which of them a cache was filled by. */
export const SUCCESSES = `
SELECT encode(e.job_key, 'hex') AS key, e.data::json -> 'd' -> 'invalidates' AS invalidates
FROM jobwarden.jobs j JOIN jobwarden.events e ON e.period = j.period AND e.job_key = j.job_key
WHERE j.job_key = ANY ($1::bytea[]) AND e.type = 6 AND e.data::json -> 'd' -> 'invalidates' IS NOT NULL`;
