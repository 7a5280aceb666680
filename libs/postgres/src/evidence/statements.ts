/** Ends what has run out of time: with what has come whole by then. */
export const EXPIRE = `
WITH over AS (
  UPDATE jobwarden.evidence e SET ended_ms = e.deadline_ms, upload_key = NULL,
    outcome = CASE WHEN EXISTS (SELECT FROM jobwarden.evidence_parts p WHERE p.evidence_id = e.evidence_id AND p.state = 'kept')
                   THEN 'captured' ELSE 'timed-out' END
  WHERE e.ended_ms IS NULL AND e.deadline_ms <= (SELECT jobwarden.lane_now()) RETURNING e.evidence_id),
left_off AS (
  UPDATE jobwarden.evidence_parts SET state = 'broken', bytes = 0, reason = 'not whole in time'
  WHERE state = 'arriving' AND evidence_id IN (SELECT evidence_id FROM over) RETURNING evidence_id, kind)
DELETE FROM jobwarden.evidence_chunks c USING left_off l WHERE c.evidence_id = l.evidence_id AND c.kind = l.kind`;

export const OPEN = `
SELECT evidence_id, upload_key, namespace, worker_id, incarnation, greatest(0, deadline_ms - jobwarden.lane_now()) AS within_ms
FROM jobwarden.evidence WHERE ended_ms IS NULL`;

/** Alive, of the revision, at work for one of the queues now or lately; the fullest heap first. */
export const ASK = `
WITH now AS (SELECT jobwarden.lane_now() AS ms),
wanted AS (SELECT q.queue_id, w.queue FROM unnest($3::text[]) AS w (queue) LEFT JOIN jobwarden.queues q ON q.namespace = $2 AND q.queue = w.queue),
bad AS (
  SELECT w.worker_id, w.incarnation
  FROM jobwarden.workers w, now
  WHERE w.namespace = $2 AND ($4::text IS NULL OR w.revision = $4) AND w.beat_ms > now.ms - 60000
    AND (EXISTS (SELECT FROM jobwarden.jobs j JOIN wanted q USING (queue_id) WHERE j.worker = w.worker_id)
      OR EXISTS (SELECT FROM jobwarden.leases l JOIN jobwarden.jobs j ON j.job_key = l.job_key JOIN wanted q USING (queue_id)
                 WHERE l.worker_key = w.worker_key)
      OR EXISTS (SELECT FROM jobwarden.worker_samples s JOIN wanted q ON q.queue = ANY (s.queues)
                 WHERE s.worker_key = w.worker_key AND s.slot_ms > now.ms - 600000))
  ORDER BY (w.runtime::json ->> 'heapUsed')::float8 / nullif((w.runtime::json ->> 'heapLimit')::float8, 0) DESC NULLS LAST, w.beat_ms DESC
  LIMIT 1)
INSERT INTO jobwarden.evidence (incident_id, namespace, revision, worker_id, incarnation, upload_key, asked_ms, deadline_ms, ended_ms, outcome)
SELECT $1, $2, $4, b.worker_id, b.incarnation, CASE WHEN b.worker_id IS NOT NULL THEN $5::text END, now.ms, now.ms + $6::bigint,
       CASE WHEN b.worker_id IS NULL THEN now.ms END, CASE WHEN b.worker_id IS NULL THEN 'no-worker' END
FROM now LEFT JOIN bad b ON true
ON CONFLICT (incident_id) DO NOTHING`;

const SHOWN = `
SELECT e.*, coalesce((SELECT json_agg(json_build_object('kind', p.kind, 'state', p.state, 'bytes', p.bytes,
    'sha256', encode(p.sha256, 'hex'), 'reason', p.reason) ORDER BY p.kind DESC)
  FROM jobwarden.evidence_parts p WHERE p.evidence_id = e.evidence_id), '[]')::text AS parts
FROM jobwarden.evidence e`;
export const ONE = `${SHOWN} WHERE e.evidence_id = $1`;
export const OF_INCIDENT = `${SHOWN} WHERE e.incident_id = $1`;

/** Whose it is, and whether it is still waited for. Locks the row: two uploads of one body follow each other. */
export const ASKED = `
SELECT upload_key, ended_ms IS NOT NULL OR deadline_ms <= (SELECT jobwarden.lane_now()) AS over
FROM jobwarden.evidence WHERE evidence_id = $1 FOR UPDATE`;

export const BEGIN_PART = `
INSERT INTO jobwarden.evidence_parts (evidence_id, kind, state) VALUES ($1, $2, 'arriving')
ON CONFLICT (evidence_id, kind) DO UPDATE SET state = 'arriving', bytes = 0, sha256 = NULL, reason = NULL`;
export const DROP_CHUNKS = `DELETE FROM jobwarden.evidence_chunks WHERE evidence_id = $1 AND ($2::text IS NULL OR kind = $2)`;
/** Only while it is waited for. */
export const CHUNK = `
INSERT INTO jobwarden.evidence_chunks (evidence_id, kind, n, bytes)
SELECT p.evidence_id, p.kind, $3, $4 FROM jobwarden.evidence_parts p WHERE p.evidence_id = $1 AND p.kind = $2 AND p.state = 'arriving'
ON CONFLICT DO NOTHING RETURNING 1`;
export const KEEP = `
UPDATE jobwarden.evidence_parts SET state = 'kept', bytes = $3, sha256 = $4 WHERE evidence_id = $1 AND kind = $2 AND state = 'arriving' RETURNING 1`;
export const BREAK = `
UPDATE jobwarden.evidence_parts SET state = 'broken', bytes = 0, reason = $3 WHERE evidence_id = $1 AND kind = $2 AND state = 'arriving'`;
export const LEAVE = `
INSERT INTO jobwarden.evidence_parts (evidence_id, kind, state, reason) VALUES ($1, $2, 'refused', $3)
ON CONFLICT (evidence_id, kind) DO UPDATE SET state = excluded.state, bytes = 0, sha256 = NULL, reason = excluded.reason
WHERE jobwarden.evidence_parts.state <> 'kept'`;
export const FINISH = `
UPDATE jobwarden.evidence e SET ended_ms = jobwarden.lane_now(), upload_key = NULL,
  outcome = CASE WHEN EXISTS (SELECT FROM jobwarden.evidence_parts p WHERE p.evidence_id = e.evidence_id AND p.state = 'kept')
                 THEN 'captured' ELSE 'refused' END
WHERE evidence_id = $1`;
export const READ_CHUNK = `SELECT bytes FROM jobwarden.evidence_chunks WHERE evidence_id = $1 AND kind = $2 AND n = $3`;
export const ERASE = `
UPDATE jobwarden.evidence SET erased = json_build_object('ms', jobwarden.lane_now(), 'by', $2::text, 'reason', $3::text)::text
WHERE evidence_id = $1 AND erased IS NULL`;
