/** How publishing stands, and what waits for an operator. */

export const LAG = `
SELECT p.shard, p.holder::text AS holder, p.checkpoint,
       greatest(0, jobwarden.lane_now() - least(e.lane_ms, s.at_ms)) AS oldest_ms
FROM jobwarden.publishers p
LEFT JOIN LATERAL (
  SELECT lane_ms FROM jobwarden.events
  WHERE shard = p.shard AND goes_out AND number > p.checkpoint ORDER BY number LIMIT 1) e ON true
LEFT JOIN LATERAL (
  SELECT at_ms FROM jobwarden.incident_steps
  WHERE shard = p.shard AND number > p.incident_checkpoint ORDER BY number LIMIT 1) s ON true
ORDER BY p.shard`;

export const PARKED_COUNT = `
SELECT (SELECT count(*) FROM jobwarden.outbound WHERE outcome = 'parked')
     + (SELECT count(*) FROM jobwarden.deliveries WHERE outcome = 'parked') AS parked`;

export const RETRYING_COUNT = `SELECT count(*)::integer AS retrying FROM jobwarden.deliveries WHERE outcome = 'waiting' AND detail IS NOT NULL`;

/** A webhook's name within an id: short, and without what an address may hold. */
const WEBHOOK_DIGEST = `left(encode(sha256(convert_to(webhook, 'UTF8')), 'hex'), 16)`;

/** In the namespace; or of none (an incident's), where the caller sees the whole installation. */
const SEEN = `(q.namespace = $1 OR (o.queue_id IS NULL AND $6::boolean))`;

/**
 * The first of each job and target, an entry's invalidation before its command; `behind` counts the rest. Microseconds,
 * so that a page can go on within one ms.
 */
export const PARKED_LIST = `
WITH heads AS (
  SELECT concat_ws('.', 'out', o.shard, o.number, o.kind) AS id, o.sent_at AS at, o.shard, o.number, o.kind, o.job_key,
         'stream' AS target, 1 AS tries, o.detail,
         (SELECT count(*) FROM jobwarden.outbound b
          WHERE b.outcome = 'parked' AND b.job_key = o.job_key
            AND (b.number, b.kind <> 'invalidation') > (o.number, o.kind <> 'invalidation')) AS behind
  FROM jobwarden.outbound o
  WHERE o.outcome = 'parked' AND NOT EXISTS (
    SELECT FROM jobwarden.outbound b WHERE b.outcome = 'parked' AND b.job_key = o.job_key
      AND (b.number, b.kind <> 'invalidation') < (o.number, o.kind <> 'invalidation'))
  UNION ALL
  SELECT concat_ws('.', 'hook', d.shard, d.number, d.kind, ${WEBHOOK_DIGEST}), d.parked_at, d.shard, d.number, d.kind,
         d.job_key, d.webhook, d.tries, d.detail,
         (SELECT count(*) FROM jobwarden.deliveries b
          WHERE b.webhook = d.webhook AND b.job_key = d.job_key AND b.number > d.number)
  FROM jobwarden.deliveries d
  WHERE d.outcome = 'parked' AND NOT EXISTS (
    SELECT FROM jobwarden.deliveries b WHERE b.webhook = d.webhook AND b.job_key = d.job_key AND b.number < d.number)),
shown AS (
  SELECT h.*, (extract(epoch FROM h.at) * 1000000)::bigint AS at_us, q.namespace, q.queue,
         coalesce(j.job_id, o.message::json ->> 'subject', '') AS job_id
  FROM heads h
  JOIN jobwarden.outbound o ON o.shard = h.shard AND o.number = h.number AND o.kind = h.kind
  LEFT JOIN jobwarden.queues q ON q.queue_id = o.queue_id
  LEFT JOIN jobwarden.jobs j ON j.job_key = h.job_key
  WHERE ${SEEN} AND ($2::text IS NULL OR q.queue = $2))
SELECT id, at_us, kind, target, tries, coalesce(detail, '') AS detail, behind, namespace, queue, job_id
FROM shown WHERE $3::bigint IS NULL OR at_us < $3 OR (at_us = $3 AND id > $4)
ORDER BY at_us DESC, id LIMIT $5`;

/** One row is enough: the publisher then looks at everything that the job has parked. */
export const RETRY_OUTBOUND = `
UPDATE jobwarden.outbound o SET retry = true
FROM jobwarden.queues q
WHERE o.shard = $2 AND o.number = $3 AND o.kind = $4 AND o.outcome = 'parked'
  AND q.queue_id = o.queue_id AND q.namespace = $1
RETURNING 1`;

export const RETRY_DELIVERY = `
WITH wanted AS (
  SELECT d.webhook, d.job_key FROM jobwarden.deliveries d
  JOIN jobwarden.outbound o ON o.shard = d.shard AND o.number = d.number AND o.kind = d.kind
  LEFT JOIN jobwarden.queues q ON q.queue_id = o.queue_id
  WHERE d.shard = $2 AND d.number = $3 AND d.kind = $4 AND ${WEBHOOK_DIGEST} = $5 AND d.outcome = 'parked'
    AND ${SEEN})
UPDATE jobwarden.deliveries d
SET outcome = 'waiting', tries = 0, next_at = clock_timestamp(), parked_at = NULL, detail = NULL
FROM wanted w WHERE d.webhook = w.webhook AND d.job_key = w.job_key AND d.outcome = 'parked'
RETURNING 1`;

/** Steps of an incident that are out, with what is not acknowledged of each. */
export const OF_INCIDENT = `
SELECT s.n, d.webhook, d.tries, d.detail, d.outcome = 'parked' AS parked
FROM jobwarden.incident_steps s
JOIN jobwarden.outbound o ON o.shard = s.shard AND o.number = s.number AND o.kind = 'incident'
LEFT JOIN jobwarden.deliveries d ON d.shard = s.shard AND d.number = s.number AND d.kind = 'incident'
WHERE s.incident_id = $1 ORDER BY s.n, d.webhook`;
