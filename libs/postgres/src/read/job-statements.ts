import { GAPS } from '../lanes/gaps.js';
import { cutEvents } from './cut-statements.js';

/**
 * Statements about jobs. A job is found by the hash of its names, whatever those are. A row of version 0 was made by a
 * writer that then had nothing to write: it is not there yet.
 */

export const QUEUES = `
SELECT queue_id, namespace, queue FROM jobwarden.queues
WHERE namespace = $1 AND ($2::text IS NULL OR queue = $2)`;

const COLUMNS = `
  encode(j.job_key, 'hex') AS key, q.namespace, q.queue, j.job_id, j.period, j.kind, j.status, j.attempt, j.n,
  j.waits_for, j.since_ms, j.look_at_ms, j.held_by, j.state,
  EXISTS (SELECT FROM jobwarden.quarantine x WHERE x.job_keys @> ARRAY[j.job_key] AND x.outcome = 'open') AS quarantined`;

const FROM = `
FROM jobwarden.jobs j JOIN jobwarden.queues q ON q.queue_id = j.queue_id`;

export const JOB_ROWS = `SELECT ${COLUMNS} ${FROM}`;

/**
 * Newest first, of the queues $1, of the kind $2 or any, behind $3 and $4. Asked queue by queue, since of each the index has them in
 * this order: a page costs no more than a page of each, however many there are. Of a kind it walks past the others of its queue.
 */
export const DEAD_LETTERS = `
SELECT ${COLUMNS} FROM (
  SELECT d.job_key FROM unnest($1::integer[]) AS w (queue_id)
  CROSS JOIN LATERAL (
    SELECT l.job_key, l.since_ms FROM jobwarden.jobs l
    WHERE l.queue_id = w.queue_id AND l.status = 'dead-lettered' AND ($2::text IS NULL OR l.kind = $2)
      AND ($3::bigint IS NULL OR (l.since_ms, l.job_key) < ($3, $4::bytea))
    ORDER BY l.since_ms DESC, l.job_key DESC LIMIT $5) d
  ORDER BY d.since_ms DESC, d.job_key DESC LIMIT $5) page
CROSS JOIN LATERAL (SELECT * FROM jobwarden.jobs o WHERE o.job_key = page.job_key LIMIT 1) j
JOIN jobwarden.queues q ON q.queue_id = j.queue_id
ORDER BY j.since_ms DESC, j.job_key DESC`;

/** A lease that names a worker row is as fresh as that worker's own beat. */
export const ONE_JOB = `
SELECT ${COLUMNS}, jobwarden.lane_now() AS now_ms, i.epoch, h.*,
  (SELECT json_agg(json_build_object(
     'attempt', l.attempt, 'beat_ms', greatest(l.beat_ms, w.beat_ms), 'lease_ms', l.lease_ms, 'progress', l.progress))
   FROM jobwarden.leases l LEFT JOIN jobwarden.workers w ON w.worker_key = l.worker_key
   WHERE l.job_key = j.job_key) AS leases
${FROM} CROSS JOIN jobwarden.installation i CROSS JOIN ${GAPS} h
WHERE j.job_key = $1 AND j.row_version > 0`;

export const SUMMARY = `
SELECT status, attempt, token, since_ms FROM jobwarden.job_summaries WHERE job_key = $1`;

export const DECISIONS = `
SELECT n, data FROM jobwarden.events WHERE job_key = $1 AND period = $2 AND type >= 100 AND n IS NOT NULL`;

export const TIMELINE = `
SELECT e.shard, e.number, e.type, e.n, l.name AS lane, e.lane_ms, e.source, e.id, e.data
FROM jobwarden.jobs j
LEFT JOIN jobwarden.events e ON e.job_key = j.job_key AND e.period = j.period AND e.number > $2
LEFT JOIN jobwarden.lanes l ON l.lane = e.lane
WHERE j.job_key = $1 AND j.row_version > 0
ORDER BY e.number LIMIT $3`;

export const CUTS = `SELECT ${cutEvents('j')} AS cuts FROM jobwarden.jobs j WHERE j.job_key = $1 AND j.row_version > 0`;

export const BODY = `
SELECT b.role, b.bytes FROM jobwarden.jobs j JOIN jobwarden.bodies b ON b.job_key = j.job_key AND b.period = j.period
WHERE j.job_key = $1 AND j.row_version > 0 AND b.hash = $2`;
