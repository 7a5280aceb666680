import { OTHER } from '../outcomes/bounded-names.js';

/** A sample is taken every 15 s: three of them missed, and the worker counts as gone. */
const TOLD_WITHIN_MS = 60_000;

/** Of each worker the newest sample, in each queue of which it held a job then. */
export const WORKERS = `
WITH newest AS (
  SELECT DISTINCT ON (s.worker_key) s.* FROM jobwarden.worker_samples s
  WHERE s.slot_ms > (SELECT jobwarden.lane_now()) - ${String(TOLD_WITHIN_MS)}
  ORDER BY s.worker_key, s.slot_ms DESC)
SELECT of.queue, count(*)::integer AS workers,
       max(heap_used::float8 / nullif(heap_limit, 0)) AS "heapRatio", max(loop_lag_ms) AS "loopLagMs",
       sum(pool_in_use)::float8 AS "poolInUse", sum(pool_waiting)::float8 AS "poolWaiting"
FROM newest CROSS JOIN LATERAL (SELECT DISTINCT unnest(queues) AS queue) AS of GROUP BY namespace, of.queue`;

export const INTAKE = `
SELECT q.queue, g.gate, g.per_second AS "perSecond", held.share AS "sharePercent"
FROM jobwarden.queue_gates g JOIN jobwarden.queues q USING (queue_id)
LEFT JOIN LATERAL (
  SELECT min(w.share_percent) AS share FROM jobwarden.incident_queues w JOIN jobwarden.incidents i USING (incident_id)
  WHERE w.queue_id = g.queue_id AND w.share_percent IS NOT NULL AND i.status = 'open') AS held ON true
WHERE g.gate <> 'open'`;

export const CAUSES = `
SELECT c.cause, count(*) AS count
FROM jobwarden.incidents i LEFT JOIN LATERAL (
  SELECT s.evidence::json ->> 'cause' AS cause FROM jobwarden.incident_steps s
  WHERE s.incident_id = i.incident_id AND s.type = 'cause-assessed' ORDER BY s.n DESC LIMIT 1) AS c ON true
WHERE i.status = 'open' AND i.kind = 'saturation' GROUP BY c.cause`;

export const INCIDENTS_OF_QUEUES = `
SELECT q.queue, o.kind, count(*) AS count
FROM (SELECT incident_id, kind, queue_id FROM jobwarden.incidents WHERE status = 'open' AND queue_id IS NOT NULL
      UNION
      SELECT i.incident_id, i.kind, w.queue_id
      FROM jobwarden.incidents i JOIN jobwarden.incident_queues w USING (incident_id) WHERE i.status = 'open') AS o
JOIN jobwarden.queues q USING (queue_id) GROUP BY q.queue, o.kind`;

export const REVISIONS = `
SELECT o.queue_id AS "queueId", q.queue, o.revision, min(o.slot_ms) AS "firstMs", max(o.slot_ms) AS "lastMs"
FROM jobwarden.outcomes o JOIN jobwarden.queues q USING (queue_id)
WHERE o.slot_ms >= $1 AND o.revision NOT IN ('', '${OTHER}') GROUP BY o.queue_id, q.queue, o.revision`;

export const EVIDENCE_BYTES = `
SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM jobwarden.evidence_parts WHERE state = 'kept'`;
