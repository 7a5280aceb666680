/**
 * Jobs of which nothing more is expected, by indexes that hold few others: the would-haves that stand, what is held, what stands
 * as failed or incomplete, and of what waits for a start the oldest. Whether they are traced says their state, which whoever shows them
 * reads: a page looks at no more rows than it may hold, however many are stuck and not traced.
 *
 * $1, $2: queues, and since when their jobs would have to wait for a start to be starved. $3: since, or null. $4, $5, $6: behind
 * this queue, time and job. $7: how many.
 */
const LIMITS = `
    AND j.row_version > 0 AND ($3::bigint IS NULL OR j.since_ms >= $3) AND (s.queue_id, j.since_ms, j.job_key) > ($4, $5, $6)
  ORDER BY j.since_ms, j.job_key LIMIT $7`;

const COLUMNS = 'j.job_key, j.job_id, j.kind, j.status, j.attempt, j.waits_for, j.held_by, j.since_ms, j.state';

export const INCOMPLETE = `
SELECT encode(c.job_key, 'hex') AS key, s.queue_id, q.namespace, q.queue, c.*, jobwarden.lane_now() AS now_ms,
  (SELECT json_agg(json_build_object('attempt', l.attempt, 'beat_ms', greatest(l.beat_ms, w.beat_ms), 'lease_ms', l.lease_ms))
   FROM jobwarden.leases l LEFT JOIN jobwarden.workers w ON w.worker_key = l.worker_key WHERE l.job_key = c.job_key) AS leases
FROM unnest($1::integer[], $2::bigint[]) AS s (queue_id, starved_ms)
JOIN jobwarden.queues q ON q.queue_id = s.queue_id
CROSS JOIN LATERAL (
  (SELECT ${COLUMNS}, 'would-have' AS because
   FROM jobwarden.verdicts v JOIN jobwarden.jobs j ON j.job_key = v.job_key AND j.attempt = v.attempt
   WHERE v.queue_id = s.queue_id AND v.kind = 'would-have' AND v.state IN ('shown', 'proposed', 'approved', 'expired')
     AND j.open_verdicts & 1 = 1 AND j.status IN ('processing', 'restart-requested', 'retrying')${LIMITS})
  UNION ALL
  (SELECT ${COLUMNS}, j.status FROM jobwarden.jobs j
   WHERE j.queue_id = s.queue_id AND j.status <> 'succeeded' AND j.status IN ('failed', 'incomplete') AND j.look_at_ms IS NULL${LIMITS})
  UNION ALL
  (SELECT ${COLUMNS}, 'starved' FROM jobwarden.jobs j
   WHERE j.queue_id = s.queue_id AND j.status <> 'succeeded' AND j.status IN ('queued', 'requeued') AND j.since_ms < s.starved_ms${LIMITS})
  UNION ALL
  (SELECT ${COLUMNS}, 'held' FROM jobwarden.jobs j
   WHERE j.queue_id = s.queue_id AND j.held_since_ms < jobwarden.lane_now() - 60000 AND j.status NOT IN ('queued', 'requeued') AND j.look_at_ms IS NOT NULL${LIMITS})
) AS c
WHERE s.queue_id >= $4
ORDER BY s.queue_id, c.since_ms, c.job_key LIMIT $7`;
