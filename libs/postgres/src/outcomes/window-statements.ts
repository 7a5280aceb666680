import { OUTCOME_SLOT_MS } from '#libs/domain';
import { SUMS } from './pg-outcome-store.js';

/** Of those that are asked for, the ones in which most went wrong in [$3, $4); with how much waits, as far as that is known. */
export const QUEUES = `
SELECT q.queue_id, q.namespace, q.queue, coalesce(s.waiting, c.waiting)::bigint AS waiting
FROM jobwarden.queues q
LEFT JOIN jobwarden.queue_states s ON s.queue_id = q.queue_id
LEFT JOIN LATERAL (
  SELECT sum(queued + requeued + retrying) AS waiting FROM jobwarden.queue_counters k WHERE k.queue_id = q.queue_id) AS c ON true
LEFT JOIN LATERAL (
  SELECT sum(failed + lost) AS bad FROM jobwarden.outcomes o
  WHERE o.queue_id = q.queue_id AND o.slot_ms >= $3 AND o.slot_ms < $4) AS b ON true
WHERE (q.namespace, q.queue) IN (SELECT * FROM unnest($1::text[], $2::text[]))
ORDER BY b.bad DESC NULLS LAST, q.queue_id LIMIT $5`;

/** In stretches of so many ms, each from where something was counted first: a queue that is new has begun anywhere in one. */
const CELLS = (ms: string): string => `
SELECT o.queue_id, min(o.slot_ms) AS from_ms, o.kind, o.revision, o.track, ${SUMS}
FROM jobwarden.outcomes o WHERE o.queue_id = ANY ($1::integer[]) AND o.slot_ms >= $2 AND o.slot_ms < $3
GROUP BY 1, o.slot_ms - o.slot_ms % ${ms}, 3, 4, 5 ORDER BY 2 DESC LIMIT 100000`;
export const RECENT_CELLS = CELLS(String(OUTCOME_SLOT_MS));
export const EARLIER_CELLS = CELLS('300000');

export const REVISIONS = `
SELECT o.queue_id, o.revision, min(o.slot_ms) AS first_ms, max(o.slot_ms) AS last_ms
FROM jobwarden.outcomes o WHERE o.queue_id = ANY ($1::integer[]) AND o.slot_ms < $2 GROUP BY 1, 2`;

/** Where an attempt that did not succeed leaves a job; one that runs, again or with something said of it. */
const STANDINGS = ['failed', 'retrying', 'requeued', 'restart-requested', 'incomplete', 'dead-lettered', 'discarded', 'processing'];

const newestOf = (status: string): string => `
(SELECT * FROM (
   SELECT job_key, job_id, state, fold_version, attempt, open_verdicts, since_ms, status FROM jobwarden.jobs
   WHERE queue_id = q.queue_id AND status = '${status}' AND since_ms >= $2 AND since_ms < $3
   ORDER BY since_ms DESC LIMIT $4) AS n
 ${status === 'processing' ? 'WHERE attempt > 1 OR open_verdicts <> 0' : ''})`;

/** Of each queue and standing the $4 newest, along the index of what has not succeeded. */
export const ATTEMPTS = `
SELECT q.queue_id, encode(j.job_key, 'hex') AS key, j.job_id, j.state, j.fold_version, j.open_verdicts, j.status
FROM unnest($1::integer[]) AS q (queue_id) CROSS JOIN LATERAL (${STANDINGS.map(newestOf).join(' UNION ALL ')}) AS j`;

/** Where nothing is decided, a lost lease is only said. */
export const SAID_LOST = `
SELECT encode(job_key, 'hex') AS key, attempt, last_ms FROM jobwarden.verdicts
WHERE job_key = ANY ($1::bytea[]) AND kind = 'would-have' AND verdict = 'lost'`;

/** Those that have beaten with a job of one of the queues. The first to fall silent first: they have most to tell. */
export const WORKERS = `
WITH chosen AS (
  SELECT s.worker_key, max(s.slot_ms) AS last_ms FROM jobwarden.worker_samples s
  WHERE s.slot_ms >= $1 AND s.slot_ms < $2 AND s.namespace = ANY ($3::text[])
  GROUP BY s.worker_key HAVING bool_or(s.queues && $4::text[]) ORDER BY 2, 1 LIMIT $5)
SELECT encode(s.worker_key, 'hex') AS key, s.worker_id, coalesce(s.revision, '') AS revision, s.namespace, s.queues, s.slot_ms AS at_ms, s.heap_used,
       s.heap_limit, s.rss, s.loop_lag_ms, s.pool_in_use, s.pool_waiting, s.lock_waits, w.beat_ms, w.runtime
FROM chosen c JOIN jobwarden.worker_samples s USING (worker_key) LEFT JOIN jobwarden.workers w USING (worker_key)
WHERE s.slot_ms >= $1 AND s.slot_ms < $2 ORDER BY s.worker_key, s.slot_ms`;
