/**
 * Jobs of which nothing more is expected, by indexes that hold few others: the would-haves that stand, what is held, what stands
 * as failed or incomplete, and of what waits for a start the oldest. Whether they are traced says their state, which whoever shows them
 * reads: a page looks at no more rows of a standing than it may hold, however many are stuck and not traced. Of what is held all rows are
 * looked at: they have no index by this time.
 *
 * $1, $2: queues, and since when their jobs would have to wait for a start to be starved. $3: since, or null. $4, $5, $6: behind
 * this queue, time and job. $7: how many.
 */
const LIMITS = `
    AND j.row_version > 0 AND j.since_ms >= greatest($3::bigint, CASE s.queue_id WHEN $4::integer THEN $5::bigint ELSE 0 END)
    AND (s.queue_id, j.since_ms, j.job_key) > ($4, $5, $6)
  ORDER BY j.since_ms, j.job_key LIMIT $7`;

const COLUMNS = 'j.job_key, j.job_id, j.kind, j.status, j.attempt, j.waits_for, j.held_by, j.since_ms, j.state';

/** A scan for each: of two at once the index has no order by time, and every job that stands so would be read for each page. */
const of = (statuses: readonly string[], because: string, where: string): readonly string[] =>
  statuses.map((status) => `(SELECT ${COLUMNS}, ${because} FROM jobwarden.jobs j WHERE j.queue_id = s.queue_id AND j.status = '${status}' AND ${where}${LIMITS})`);

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
  ${[...of(['failed', 'incomplete'], 'j.status', 'j.look_at_ms IS NULL'), ...of(['queued', 'requeued'], `'starved'`, 'j.since_ms < s.starved_ms')].join(' UNION ALL ')}
  UNION ALL
  (SELECT ${COLUMNS}, 'held' FROM jobwarden.jobs j
   WHERE j.queue_id = s.queue_id AND j.held_since_ms < (SELECT jobwarden.lane_now() - 60000) AND j.status NOT IN ('queued', 'requeued') AND j.look_at_ms IS NOT NULL${LIMITS})
) AS c
WHERE s.queue_id >= $4
ORDER BY s.queue_id, c.since_ms, c.job_key LIMIT $7`;
