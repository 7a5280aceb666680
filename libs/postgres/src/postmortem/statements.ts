/** Postmortems: what people have added. */

export const ANSWERS = `
SELECT DISTINCT ON (item) item, answer, answered_by, at_ms FROM jobwarden.postmortem_answers
WHERE incident_id = $1 ORDER BY item, answer_id DESC`;

export const SIGNATURE = `SELECT signed_by, note, at_ms FROM jobwarden.postmortem_signatures WHERE incident_id = $1`;

/** Before an answer and a signature, in a statement of its own: what comes after it sees what the other one did. */
export const LOCK = `SELECT 1 FROM jobwarden.incidents WHERE incident_id = $1 FOR UPDATE`;

export const ANSWER = `
INSERT INTO jobwarden.postmortem_answers (incident_id, item, answer, answered_by, at_ms)
SELECT $1::bigint, $2, $3, $4, jobwarden.lane_now()
WHERE NOT EXISTS (SELECT FROM jobwarden.postmortem_signatures s WHERE s.incident_id = $1)
RETURNING 1`;

export const SIGN = `
INSERT INTO jobwarden.postmortem_signatures (incident_id, signed_by, note, at_ms)
VALUES ($1, $2, $3, jobwarden.lane_now()) ON CONFLICT DO NOTHING RETURNING 1`;

const COLUMNS = 'follow_up_id, incident_id, namespace, kind, what, owner, added_by, added_ms, done_by, done_ms, done_note';
export const FOLLOW_UPS = `SELECT ${COLUMNS} FROM jobwarden.follow_ups`;

export const FOLLOW_UP_COUNT = 'SELECT count(*)::integer AS count FROM jobwarden.follow_ups WHERE incident_id = $1';

/** Of a run whose queues are all of one namespace it is that namespace's; else whoever sees the incident would not see it. */
export const ADD_FOLLOW_UP = `
INSERT INTO jobwarden.follow_ups (incident_id, namespace, kind, what, owner, added_by, added_ms)
VALUES ($1, coalesce($2, (SELECT min(n.namespace) FROM jobwarden.incident_queues w JOIN jobwarden.queues n USING (queue_id)
                          WHERE w.incident_id = $1 HAVING count(DISTINCT n.namespace) = 1)), $3, $4, $5, $6, jobwarden.lane_now()) RETURNING ${COLUMNS}`;

export const FINISH_FOLLOW_UP = `
UPDATE jobwarden.follow_ups SET done_by = $2, done_note = $3, done_ms = jobwarden.lane_now()
WHERE follow_up_id = $1 AND done_ms IS NULL`;

/** Evidence is JSON in a text, as it was written. Of a drill nobody has to sign anything. */
export const UNSIGNED = `
SELECT i.incident_id AS id FROM jobwarden.incidents i
JOIN jobwarden.incident_steps s ON s.incident_id = i.incident_id AND s.n = 1
WHERE i.kind = 'saturation' AND s.evidence::json ->> 'target' = $1
  AND (s.evidence::json ->> 'drill') IS DISTINCT FROM 'true'
  AND NOT EXISTS (SELECT FROM jobwarden.postmortem_signatures p WHERE p.incident_id = i.incident_id)
ORDER BY i.incident_id`;

/** The same of queues: those that an incident was told of, or that its run was about. */
export const UNSIGNED_OF_QUEUES = `
SELECT i.incident_id AS id FROM jobwarden.incidents i
JOIN jobwarden.incident_steps s ON s.incident_id = i.incident_id AND s.n = 1
WHERE i.kind = 'saturation' AND (s.evidence::json ->> 'drill') IS DISTINCT FROM 'true'
  AND EXISTS (
    SELECT FROM jobwarden.queues q
    WHERE (q.namespace, q.queue) IN (SELECT * FROM unnest($1::text[], $2::text[]))
      AND (q.queue_id = i.queue_id
           OR EXISTS (SELECT FROM jobwarden.incident_queues w WHERE w.incident_id = i.incident_id AND w.queue_id = q.queue_id AND w.saturated)))
  AND NOT EXISTS (SELECT FROM jobwarden.postmortem_signatures p WHERE p.incident_id = i.incident_id)
ORDER BY i.incident_id`;

/** Of the incidents $1 those that lie in the namespaces $2 altogether. */
export const VISIBLE = `
SELECT i.incident_id AS id FROM jobwarden.incidents i LEFT JOIN jobwarden.queues q ON q.queue_id = i.queue_id
WHERE i.incident_id = ANY ($1::bigint[])
  AND (q.namespace = ANY ($2::text[])
       OR (i.queue_id IS NULL AND (
         SELECT bool_and(n.namespace = ANY ($2::text[])) FROM jobwarden.incident_queues w JOIN jobwarden.queues n ON n.queue_id = w.queue_id
         WHERE w.incident_id = i.incident_id)))`;
