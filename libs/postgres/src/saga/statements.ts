import { WRITES_WITHIN_MS } from '#libs/domain';
import { MAY_ACT } from '../recovery/may-act.js';

/** Runs of isolation and rollback: their queues, and their tries. */

export const TO_DRIVE = `
SELECT i.incident_id AS id, i.status = 'open' AS open,
       (SELECT max(s.n) FROM jobwarden.incident_steps s WHERE s.incident_id = i.incident_id) AS n
FROM jobwarden.incidents i
WHERE i.kind = 'saturation' AND (i.status = 'open'
  OR EXISTS (SELECT FROM jobwarden.incident_queues q WHERE q.incident_id = i.incident_id AND q.share_percent IS NOT NULL))
ORDER BY i.incident_id`;

export const QUEUES = `
SELECT n.namespace, n.queue, q.saturated, q.before_gate, q.before_per_second, q.normal_per_second, q.share_percent
FROM jobwarden.incident_queues q JOIN jobwarden.queues n USING (queue_id)
WHERE q.incident_id = $1 ORDER BY n.namespace, n.queue`;

export const JOIN = `
INSERT INTO jobwarden.incident_queues AS q (incident_id, queue_id, saturated, joined_ms)
SELECT $1, w.queue_id, w.saturated, jobwarden.lane_now()
FROM unnest($2::integer[], $3::boolean[]) AS w (queue_id, saturated) ORDER BY w.queue_id
ON CONFLICT (incident_id, queue_id) DO UPDATE SET saturated = true WHERE excluded.saturated AND NOT q.saturated
RETURNING (xmax = 0) AS is_new`;

export const HOLD = `
UPDATE jobwarden.incident_queues SET
  before_per_second = CASE WHEN $3::text IS NULL THEN before_per_second ELSE $4 END,
  before_gate = coalesce($3, before_gate),
  normal_per_second = coalesce(normal_per_second, $5),
  share_percent = $6
WHERE incident_id = $1 AND queue_id = $2`;

export const LET_GO = `UPDATE jobwarden.incident_queues SET share_percent = NULL WHERE incident_id = $1 AND queue_id = $2`;

export const TRIES = `
SELECT count(*) FILTER (WHERE n = $2)::integer AS count, max(at_ms) FILTER (WHERE n = $2) AS last_ms,
       coalesce(sum(calls) FILTER (WHERE at_ms > (SELECT jobwarden.lane_now()) - ${String(WRITES_WITHIN_MS)}), 0)::integer AS writes,
       min(at_ms) FILTER (WHERE calls > 0 AND at_ms > (SELECT jobwarden.lane_now()) - ${String(WRITES_WITHIN_MS)}) AS oldest_write_ms
FROM jobwarden.incident_tries WHERE incident_id = $1`;

/** Under the lock of the incident's row, which keeps two from counting at once. */
export const BEGIN_TRY = `
INSERT INTO jobwarden.incident_tries (incident_id, n, try, act, calls, at_ms)
SELECT $1, $2, t.count + 1, $3, $4, jobwarden.lane_now()
FROM (SELECT count(*) FILTER (WHERE n = $2)::integer AS count,
             coalesce(sum(calls) FILTER (WHERE at_ms > (SELECT jobwarden.lane_now()) - ${String(WRITES_WITHIN_MS)}), 0)::integer AS writes
      FROM jobwarden.incident_tries WHERE incident_id = $1) t
WHERE t.count < $5 AND ($4 = 0 OR t.writes + $4 <= $6) AND (SELECT ${MAY_ACT} FROM jobwarden.installation i) RETURNING try`;

export const MAY_ACT_NOW = `
SELECT ${MAY_ACT} AND (SELECT max(s.n) FROM jobwarden.incident_steps s WHERE s.incident_id = $1) = $2::integer AS may FROM jobwarden.installation i`;

/** $2: its acts. What it is asked for ends it too, and counts: what flaps begins anew after the end. */
export const ACTED = `
SELECT i.incident_id AS id, i.subject, i.status = 'open' AS open, max(s.at_ms) AS at_ms,
       (array_agg(s.type ORDER BY s.n DESC) FILTER (WHERE s.type = ANY ($2::text[])))[1] AS did,
       (SELECT f.evidence::jsonb FROM jobwarden.incident_steps f
        WHERE f.incident_id = i.incident_id AND f.type = 'cause-assessed' ORDER BY f.n DESC LIMIT 1) AS found,
       ARRAY(SELECT n.namespace FROM jobwarden.incident_queues q JOIN jobwarden.queues n USING (queue_id)
             WHERE q.incident_id = i.incident_id AND q.saturated ORDER BY q.queue_id) AS namespaces,
       ARRAY(SELECT n.queue FROM jobwarden.incident_queues q JOIN jobwarden.queues n USING (queue_id)
             WHERE q.incident_id = i.incident_id AND q.saturated ORDER BY q.queue_id) AS queues
FROM jobwarden.incidents i JOIN jobwarden.incident_steps s USING (incident_id)
WHERE i.kind = 'saturation' AND (i.resolved_ms IS NULL OR i.resolved_ms >= $1)
  AND (s.type = ANY ($2::text[]) OR s.type IN ('readmitting', 'resolved'))
  AND NOT EXISTS (SELECT FROM jobwarden.incident_steps o WHERE o.incident_id = i.incident_id AND o.n = 1 AND o.evidence::jsonb -> 'dryRun' = 'true')
GROUP BY i.incident_id HAVING bool_or(s.type = ANY ($2::text[])) AND max(s.at_ms) >= $1
ORDER BY 4 DESC, 1 DESC`;

export const KNOWN_QUEUES = `SELECT namespace, queue FROM jobwarden.queues ORDER BY queue_id`;
