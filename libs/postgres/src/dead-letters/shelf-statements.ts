/** The oldest of a queue by an index look-up, behind `after`. The time is asked once. */
const oldest = (after: string) => `(SELECT (SELECT jobwarden.lane_now()) - j.since_ms FROM jobwarden.jobs j
   WHERE j.queue_id = q.queue_id AND j.status = 'dead-lettered' AND j.since_ms > ${after} ORDER BY j.since_ms LIMIT 1)`;

/** By the maintained counters; what was never looked through has been there since the beginning of time. */
export const STANDING = `
SELECT q.namespace, q.queue, c.letters, ${oldest('-1')} AS oldest_ms, ${oldest('r.reviewed_ms')} AS unreviewed_ms
FROM jobwarden.queues q
CROSS JOIN LATERAL (SELECT sum(dead_lettered)::bigint AS letters FROM jobwarden.queue_counters k WHERE k.queue_id = q.queue_id) c
CROSS JOIN LATERAL (SELECT coalesce(max(at_ms), -1) AS reviewed_ms FROM jobwarden.dead_letter_reviews v
                    WHERE v.namespace = q.namespace AND (v.queue IS NULL OR v.queue = q.queue)) r
WHERE c.letters > 0 ORDER BY q.namespace, q.queue`;

/** $1 namespace, $2 queue, $3 age in ms, $4 limit. */
export const EXPIRED = `
SELECT q.namespace, q.queue, j.job_id AS id
FROM jobwarden.jobs j JOIN jobwarden.queues q ON q.queue_id = j.queue_id
WHERE q.namespace = $1 AND q.queue = $2 AND j.status = 'dead-lettered' AND j.row_version > 0
  AND j.since_ms < (SELECT jobwarden.lane_now()) - $3::bigint
  AND NOT EXISTS (SELECT FROM jobwarden.installation WHERE clock_mode = 'manual')
ORDER BY j.since_ms LIMIT $4`;
