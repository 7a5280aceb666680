/** Incidents and their steps. */

/** Of two that open the same thing at once the second waits here, and then finds what the first one has made. */
export const LOCK_IDENTITY = `
SELECT jobwarden.lane_now() AS now_ms, i.shards
FROM jobwarden.installation i, pg_advisory_xact_lock(hashtextextended('incident/' || $1, 0))`;

const INCIDENT = `
SELECT i.incident_id AS id, i.kind, i.subject, i.queue_id, q.namespace, q.queue, i.status, i.summary, i.opened_ms, i.resolved_ms
FROM jobwarden.incidents i LEFT JOIN jobwarden.queues q ON q.queue_id = i.queue_id`;

/** What the incident comes from, as it was assessed last; null: it was not. */
export const CAUSE = `(
  SELECT s.evidence::json ->> 'cause' FROM jobwarden.incident_steps s
  WHERE s.incident_id = i.incident_id AND s.type = 'cause-assessed' ORDER BY s.n DESC LIMIT 1)`;

export const LIST = INCIDENT.replace('\nFROM', `, ${CAUSE} AS cause\nFROM`);

/** The queue of an incident, or each one of its run. */
const QUEUES_OF = `
FROM jobwarden.queues n WHERE (n.queue_id = i.queue_id
  OR n.queue_id IN (SELECT w.queue_id FROM jobwarden.incident_queues w WHERE w.incident_id = i.incident_id))`;

/** `condition`: of a queue `n`. */
export const isAbout = (condition: string): string => `EXISTS (SELECT ${QUEUES_OF} AND ${condition})`;
export const onlyAbout = (condition: string): string => `NOT EXISTS (SELECT ${QUEUES_OF} AND NOT (${condition}))`;

export const ONE = `${INCIDENT} WHERE i.incident_id = $1`;
export const OPEN = `${INCIDENT} WHERE i.status = 'open' AND i.kind = $1 ORDER BY i.incident_id`;

export const FIND_OPEN = `${INCIDENT}
WHERE i.status = 'open' AND i.kind = $1 AND i.subject = $2 AND coalesce(i.queue_id, 0) = coalesce($3::integer, 0)
FOR UPDATE OF i`;
export const FIND_ID = `${ONE} FOR UPDATE OF i`;

export const STEPS = `
SELECT n, type, at_ms, made_by, reason, evidence FROM jobwarden.incident_steps WHERE incident_id = $1 ORDER BY n`;

/** Of those that are over: what each was about, what it came from, and who had it. */
export const STEPS_OF = `
SELECT s.incident_id AS id, s.n, s.type, s.at_ms, s.made_by, s.reason, s.evidence
FROM jobwarden.incident_steps s JOIN jobwarden.incidents i ON i.incident_id = s.incident_id
WHERE s.incident_id = ANY ($1::bigint[])
  AND (i.status = 'open' OR s.n = 1 OR s.type IN ('cause-assessed', 'approved', 'aborted', 'resolved'))
ORDER BY s.incident_id, s.n`;

export const QUEUES_OF_RUNS = `
SELECT id, namespace, queue, many FROM (
  SELECT w.incident_id AS id, n.namespace, n.queue, count(*) OVER (PARTITION BY w.incident_id) AS many,
         row_number() OVER (PARTITION BY w.incident_id ORDER BY w.saturated DESC, n.namespace, n.queue) AS nth
  FROM jobwarden.incident_queues w JOIN jobwarden.queues n USING (queue_id) WHERE w.incident_id = ANY ($1::bigint[])) q
WHERE nth <= 3 ORDER BY id, nth`;

export const INSERT = `
INSERT INTO jobwarden.incidents (kind, subject, queue_id, status, summary, opened_ms)
VALUES ($1, $2, $3, 'open', $4, $5) RETURNING incident_id AS id`;

export const RESOLVE = `
UPDATE jobwarden.incidents SET status = 'resolved', resolved_ms = $2 WHERE incident_id = $1`;

export const INSERT_STEP = `
INSERT INTO jobwarden.incident_steps (incident_id, n, type, at_ms, made_by, reason, evidence, shard, number)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

export const OPEN_COUNTS = `
SELECT kind, count(*) AS open FROM jobwarden.incidents WHERE status = 'open' GROUP BY kind`;
