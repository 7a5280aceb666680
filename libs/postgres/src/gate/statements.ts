const IDS = `SELECT n.queue_id FROM jobwarden.queues n WHERE (n.namespace, n.queue) IN (SELECT * FROM unnest($1::text[], $2::text[]))`;

export const NOW = 'SELECT jobwarden.lane_now() AS now_ms';

export const QUEUES = `
SELECT namespace, queue FROM jobwarden.queues WHERE $1::text[] IS NULL OR namespace = ANY ($1::text[]) ORDER BY namespace, queue`;

/** What is queued is by nobody. */
export const SEEN = `
SELECT o.revision, o.track, min(o.slot_ms) AS first_ms, max(o.slot_ms) AS last_ms
FROM jobwarden.outcomes o WHERE o.queue_id = ANY (${IDS}) AND (o.revision <> '' OR o.track <> '')
GROUP BY o.revision, o.track ORDER BY min(o.slot_ms), o.revision, o.track`;

/** $3, $4: the time; $5: how long a stretch is. */
export const COUNTS = `
SELECT q.namespace, q.queue, o.slot_ms - o.slot_ms % $5::bigint AS slot_ms, o.kind, o.revision, o.track,
       sum(o.succeeded)::integer AS succeeded, sum(o.failed)::integer AS failed, sum(o.lost)::integer AS lost,
       sum(o.dead_lettered)::integer AS dead_lettered
FROM jobwarden.outcomes o JOIN jobwarden.queues q USING (queue_id)
WHERE o.queue_id = ANY (${IDS}) AND o.slot_ms >= $3 AND o.slot_ms < $4 AND (o.revision <> '' OR o.track <> '')
GROUP BY 1, 2, 3, 4, 5, 6`;

export const RUN_TIMES = `
SELECT q.namespace, q.queue, r.slot_ms - r.slot_ms % $5::bigint AS slot_ms, r.kind, r.revision, r.track, r.bucket,
       sum(r.count)::integer AS count
FROM jobwarden.outcome_run_times r JOIN jobwarden.queues q USING (queue_id)
WHERE r.queue_id = ANY (${IDS}) AND r.slot_ms >= $3 AND r.slot_ms < $4
GROUP BY 1, 2, 3, 4, 5, 6, 7`;

export const ROLLOUT = `
INSERT INTO jobwarden.gate_rollouts AS r (namespace, name, checksum, began_ms, asked_ms)
VALUES ($1, $2, $3, jobwarden.lane_now(), jobwarden.lane_now())
ON CONFLICT (namespace, name) DO UPDATE SET
  began_ms = CASE WHEN $4 OR r.checksum <> excluded.checksum THEN excluded.began_ms ELSE r.began_ms END,
  checksum = excluded.checksum, asked_ms = excluded.asked_ms
RETURNING began_ms`;

const COLUMNS = 'override_id, target, namespace, queue, reason, set_by, set_ms, until_ms';

export const OVERRIDE = `
INSERT INTO jobwarden.gate_overrides (target, namespace, queue, reason, set_by, set_ms, until_ms)
VALUES ($1, $2, $3, $4, $5, jobwarden.lane_now(), $6) RETURNING ${COLUMNS}`;

export const STANDING = `
SELECT ${COLUMNS} FROM jobwarden.gate_overrides
WHERE until_ms > (SELECT jobwarden.lane_now())
  AND (target = $3 OR (namespace, queue) IN (SELECT * FROM unnest($1::text[], $2::text[])))
ORDER BY until_ms DESC, override_id LIMIT 1`;

export const OVERRIDES = `SELECT ${COLUMNS} FROM jobwarden.gate_overrides`;
