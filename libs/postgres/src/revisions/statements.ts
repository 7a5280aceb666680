import { TAKES_IN } from '../lanes/takes-in.js';

export const COLUMNS = `
refusal_id, namespace, queue, revision, reason, set_by, incident_id, set_ms, version, lifted_ms, lifted_by, lifted_reason`;

/** One row at least, so that the version comes also where nothing stands. Both of one snapshot. */
export const READ = `
SELECT i.refusals_version, r.* FROM jobwarden.installation i
LEFT JOIN (SELECT ${COLUMNS} FROM jobwarden.refused_revisions WHERE lifted_ms IS NULL) r ON true
ORDER BY r.refusal_id`;

/** Changes go one by one, so a version that was read holds every lower one. */
export const NEXT_VERSION = `
UPDATE jobwarden.installation SET refusals_version = refusals_version + 1 RETURNING refusals_version`;

export const SET = `
INSERT INTO jobwarden.refused_revisions (namespace, queue, revision, reason, set_by, incident_id, set_ms, version)
VALUES ($1, $2, $3, $4, $5, $6, jobwarden.lane_now(), $7)
ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`;

export const STANDING = `
SELECT ${COLUMNS} FROM jobwarden.refused_revisions
WHERE namespace = $1 AND queue IS NOT DISTINCT FROM $2 AND revision = $3 AND lifted_ms IS NULL`;

export const LIFT = `
UPDATE jobwarden.refused_revisions SET lifted_ms = jobwarden.lane_now(), lifted_by = $4, lifted_reason = $5
WHERE namespace = $1 AND queue IS NOT DISTINCT FROM $2 AND revision = $3 AND lifted_ms IS NULL RETURNING ${COLUMNS}`;

/** Of those that may grant a claim. */
export const LEAST_READ = `
SELECT min(refusals_read) AS least FROM jobwarden.replicas
WHERE ${TAKES_IN} AND beat_at > clock_timestamp() - make_interval(secs => $1::float8 / 1000)`;

/** Workers that beat of late, and the queues that they hold attempts of; without any the queue is not known. */
export const SEEN = `
WITH alive AS (
  SELECT worker_key, worker_id, revision, beat_ms FROM jobwarden.workers
  WHERE namespace = $1 AND revision IS NOT NULL AND beat_ms > (SELECT jobwarden.lane_now()) - 86400000),
held AS (
  SELECT a.worker_id, a.revision, a.beat_ms, q.queue, count(j.job_key) AS running
  FROM alive a
  LEFT JOIN jobwarden.leases l ON l.worker_key = a.worker_key
  LEFT JOIN jobwarden.jobs j ON j.job_key = l.job_key AND j.attempt = l.attempt AND j.status IN ('processing', 'restart-requested')
  LEFT JOIN jobwarden.queues q ON q.queue_id = j.queue_id
  GROUP BY a.worker_id, a.revision, a.beat_ms, q.queue),
named AS (
  SELECT h.* FROM held h
  WHERE h.queue IS NOT NULL OR NOT EXISTS (SELECT FROM held o WHERE o.worker_id = h.worker_id AND o.revision = h.revision AND o.queue IS NOT NULL))
SELECT queue, revision, count(DISTINCT worker_id) FILTER (WHERE beat_ms > (SELECT jobwarden.lane_now()) - 60000) AS workers,
       sum(running)::bigint AS running, max(beat_ms) AS last_ms
FROM named WHERE $2::text IS NULL OR queue = $2
GROUP BY queue, revision ORDER BY queue NULLS LAST, max(beat_ms) DESC, revision LIMIT 1000`;

/** The name may stand in the state for an older attempt: whoever reads it looks closer. */
export const HELD = `
SELECT q.namespace, q.queue, j.job_id, j.kind, j.attempt, j.state, greatest(l.beat_ms, b.beat_ms) AS beat_ms, l.lease_ms
FROM jobwarden.queues q JOIN jobwarden.jobs j ON j.queue_id = q.queue_id AND j.status = 'processing'
LEFT JOIN jobwarden.leases l ON l.job_key = j.job_key AND l.attempt = j.attempt
LEFT JOIN jobwarden.workers b ON b.worker_key = l.worker_key
WHERE q.namespace = $1 AND ($2::text IS NULL OR q.queue = $2) AND position($3 IN j.state) > 0
LIMIT 10000`;
