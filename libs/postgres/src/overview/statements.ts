import { WAITING_OF } from '../read/waiting.js';

/** Samples that are drawn. */
export const SHOWN_MINUTES = 60;
/** What failure ratios and medians are of. */
export const RECENT_MINUTES = 15;

/** `last_ms`: what ended before is in a sample. */
export const TIME = `
SELECT jobwarden.lane_now() AS now_ms,
  (SELECT coalesce(max(minute), 0)::bigint * 60000 FROM jobwarden.queue_samples WHERE minute > (SELECT jobwarden.lane_now()) / 60000 - 60) AS last_ms`;

const oldest = (status: string) => `(SELECT j.since_ms FROM jobwarden.jobs j WHERE j.queue_id = q.queue_id AND j.status = '${status}' ORDER BY j.since_ms LIMIT 1)`;

export const QUEUES = `
SELECT q.queue_id, q.namespace, q.queue, ${WAITING_OF} AS waiting,
  coalesce(c.running, 0) AS running, coalesce(c.stuck, 0) AS stuck, coalesce(c.dead_lettered, 0) AS dead_lettered,
  CASE WHEN c.waits > 0 THEN least(${['queued', 'requeued', 'retrying'].map(oldest).join(', ')}) END AS oldest_ms,
  g.blackout_ms IS NOT NULL AS blackout, g.probing_ms IS NOT NULL AS probing
FROM jobwarden.queues q
LEFT JOIN (SELECT queue_id, sum(processing)::bigint AS running, sum(restart_requested + incomplete)::bigint AS stuck,
             sum(dead_lettered)::bigint AS dead_lettered, sum(queued + requeued + retrying)::bigint AS waits
           FROM jobwarden.queue_counters GROUP BY queue_id) c ON c.queue_id = q.queue_id
LEFT JOIN jobwarden.queue_guards g ON g.queue_id = q.queue_id
WHERE $1::text[] IS NULL OR q.namespace = ANY ($1)
ORDER BY q.namespace COLLATE "C", q.queue COLLATE "C" LIMIT $2`;

/** Below act a lost job stays in processing; what says so is a would-have that stands. */
export const SUSPECTED = `
SELECT v.queue_id, count(DISTINCT v.job_key) AS count FROM jobwarden.verdicts v
JOIN jobwarden.jobs j ON j.job_key = v.job_key AND j.attempt = v.attempt AND j.status = 'processing'
WHERE v.kind = 'would-have' AND v.state IN ('shown', 'proposed', 'approved', 'expired') AND v.verdict IN ('lost', 'hung')
GROUP BY v.queue_id`;

export const HELD = `
SELECT queue_id, count(*) AS count FROM jobwarden.jobs WHERE held_since_ms IS NOT NULL GROUP BY queue_id`;

export const TAKEN = `SELECT minute FROM jobwarden.queue_samples WHERE queue_id = 0 AND minute > $1 ORDER BY minute`;

export const SAMPLES = `
SELECT queue_id, string_agg(minute::text, ',' ORDER BY minute) AS minutes, string_agg(waiting::text, ',' ORDER BY minute) AS waiting_at,
  string_agg(CASE WHEN succeeded + failed > 0 THEN (failed * 1000 / (succeeded + failed))::text ELSE '' END, ',' ORDER BY minute) AS failed_at,
  string_agg(coalesce(median_ms::text, ''), ',' ORDER BY minute) AS median_at,
  coalesce(sum(succeeded) FILTER (WHERE minute > $2), 0)::integer AS succeeded,
  coalesce(sum(failed) FILTER (WHERE minute > $2), 0)::integer AS failed,
  (array_agg(median_ms ORDER BY minute DESC) FILTER (WHERE median_ms IS NOT NULL AND minute > $2))[1] AS median_ms
FROM jobwarden.queue_samples WHERE minute > $1 AND queue_id <> 0 GROUP BY queue_id`;

export const ENDED_SINCE = `
SELECT queue_id, sum(succeeded)::integer AS succeeded, sum(failed + lost)::integer AS failed
FROM jobwarden.outcomes WHERE slot_ms >= $1 GROUP BY queue_id`;
