import { RUN_TIME_BUCKETS } from '#libs/domain';

/** What the tables say of the time of an incident. $1 are always the ids of its queues. */

export const QUEUES = `
SELECT q.queue_id FROM jobwarden.queues q WHERE q.namespace = $2 AND q.queue = $3
UNION SELECT i.queue_id FROM jobwarden.incident_queues i WHERE i.incident_id = $1 AND i.saturated`;

export const STRETCHES = `
SELECT slot_ms AS "fromMs", sum(failed + lost)::float8 AS bad, sum(succeeded + failed + lost)::float8 AS ended
FROM jobwarden.outcomes WHERE queue_id = ANY ($1::integer[]) AND slot_ms >= $2 AND slot_ms <= $3 GROUP BY slot_ms ORDER BY slot_ms`;

const SUMS = ['queued', 'started', 'succeeded', 'failed', 'lost', 'dead_lettered', 'write_refused', 'contradicted']
  .map((name) => `coalesce(sum(${name}), 0)::float8 AS ${name}`)
  .join(', ');

export const COUNTS = `
SELECT ${SUMS}, count(*)::integer AS rows FROM jobwarden.outcomes
WHERE queue_id = ANY ($1::integer[]) AND slot_ms >= $2 AND slot_ms < $3`;

/** By the index of what does not stand as succeeded. */
export const STATUSES = `
SELECT status, count(*)::integer AS jobs FROM jobwarden.jobs
WHERE queue_id = ANY ($1::integer[]) AND status <> 'succeeded' AND since_ms >= $2 AND since_ms < $3 GROUP BY status ORDER BY count(*) DESC, status`;

export const WAITING = `
SELECT count(*)::integer AS jobs FROM jobwarden.jobs
WHERE queue_id = ANY ($1::integer[]) AND status <> 'succeeded' AND status IN ('queued', 'requeued', 'retrying')`;

/** Of each sort one looks at those that ended worst. */
export const EXAMPLES = `
SELECT q.namespace, q.queue, j.job_id AS id, j.status FROM jobwarden.jobs j JOIN jobwarden.queues q USING (queue_id)
WHERE j.queue_id = ANY ($1::integer[]) AND j.status <> 'succeeded' AND j.status IN ('dead-lettered', 'failed', 'restart-requested', 'incomplete', 'retrying')
  AND j.since_ms >= $2 AND j.since_ms < $3
ORDER BY j.status = 'dead-lettered' DESC, j.since_ms LIMIT 5`;

/** Those that have succeeded since are not by this index: of them the counts tell. */
export const TRACED = `
SELECT status, attempt, state FROM jobwarden.jobs
WHERE queue_id = ANY ($1::integer[]) AND status <> 'succeeded' AND since_ms >= $2 AND since_ms < $3 AND state LIKE '%"traceparent":"%' LIMIT 1000`;

export const PATTERNS = `
SELECT p.class, p.message, p.reason, count(*)::integer AS letters
FROM jobwarden.dead_letter_patterns p JOIN jobwarden.dead_letters d USING (pattern_id)
WHERE p.queue_id = ANY ($1::integer[]) AND d.at_ms >= $2 AND d.at_ms < $3
GROUP BY p.pattern_id ORDER BY count(*) DESC, p.pattern_id LIMIT 100`;

export const SIGNALS = `
SELECT source, coalesce(starts_ms, seen_ms) AS "startsMs", seen_ms AS "seenMs" FROM jobwarden.signals
WHERE incident_id = $1 ORDER BY signal_id LIMIT 1000`;

export const BESIDE = `
SELECT kind, count(*)::integer AS incidents FROM jobwarden.incidents
WHERE incident_id <> $4 AND (queue_id IS NULL OR queue_id = ANY ($1::integer[]))
  AND opened_ms < $3 AND coalesce(resolved_ms, $3) > $2 GROUP BY kind ORDER BY kind`;

export const RUN_TIMES = `
SELECT bucket, sum(count)::float8 AS count FROM jobwarden.outcome_run_times
WHERE queue_id = ANY ($1::integer[]) AND slot_ms >= $2 AND slot_ms < $3 AND bucket < ${String(RUN_TIME_BUCKETS)} GROUP BY bucket`;

/** That of queue 0 says that a sample was taken at all: a queue in which nothing waits has none. $2, $3 are minutes, both counted. */
export const DEPTH = `
SELECT max(waiting)::float8 AS depth FROM (
  SELECT minute, coalesce(sum(waiting) FILTER (WHERE queue_id = ANY ($1::integer[])), 0) AS waiting
  FROM jobwarden.queue_samples WHERE minute >= $2 AND minute <= $3 AND (queue_id = 0 OR queue_id = ANY ($1::integer[])) GROUP BY minute) m`;

/** Of the signals that led to it: what each was told with. */
export const SIGNALLED_DEPTH = `
SELECT max((figures::jsonb->>'unprocessed')::float8) AS depth FROM jobwarden.signals WHERE incident_id = $1`;

export const NOW = 'SELECT jobwarden.lane_now() AS now_ms';
