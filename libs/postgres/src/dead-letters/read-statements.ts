const COLUMNS = `
  p.pattern_id, q.namespace, q.queue, p.kind, p.reason, p.class, p.message, p.frames, p.first_ms, p.last_ms, p.letters,
  p.outcome, p.outcome_ms, p.outcome_by, p.outcome_why`;

/** Of each of the last 24 hours, the running one last. */
const TREND = `
  (SELECT json_agg(coalesce(t.letters, 0) ORDER BY s.hour)::text
   FROM generate_series((SELECT jobwarden.lane_now()) / 3600000 - 23, (SELECT jobwarden.lane_now()) / 3600000) AS s (hour)
   LEFT JOIN jobwarden.dead_letter_hours t ON t.pattern_id = p.pattern_id AND t.hour = s.hour)`;

/** Of the newest 200 alone: of a pattern with a hundred thousand that were all redriven, each job would have to be looked at. */
const STILL_DEAD = `
  CASE WHEN EXISTS (
    SELECT FROM (SELECT d.job_key FROM jobwarden.dead_letters d WHERE d.pattern_id = p.pattern_id ORDER BY d.at_ms DESC LIMIT 200) d
    JOIN jobwarden.jobs j ON j.job_key = d.job_key AND j.status = 'dead-lettered') THEN true
  WHEN p.letters <= 200 THEN false END`;

/** As `markOf` of the domain says it; $6: the last review, null where there was none. */
const MARKED = `(p.outcome = 'fixed' AND p.last_ms > p.outcome_ms OR p.outcome IS NULL AND ($6::bigint IS NULL OR p.first_ms > $6))`;

/**
 * $1 namespace, $2 queue or null, $3 hour, $4 whether only those of which one arrived, $5 whether only those with a mark, $7 limit, behind
 * $8, $9, $10. One row at least, with the sums of all pages.
 */
export const PATTERNS = `
WITH found AS MATERIALIZED (
  SELECT p.pattern_id, p.last_ms, coalesce(h.arrived, 0)::bigint AS arrived
  FROM jobwarden.dead_letter_patterns p
  JOIN jobwarden.queues q ON q.queue_id = p.queue_id
  LEFT JOIN LATERAL (SELECT sum(letters) AS arrived FROM jobwarden.dead_letter_hours WHERE pattern_id = p.pattern_id AND hour >= $3) h ON true
  WHERE q.namespace = $1 AND ($2::text IS NULL OR q.queue = $2) AND (NOT $4 OR h.arrived > 0) AND (NOT $5 OR ${MARKED})),
shown AS (
  SELECT pattern_id, arrived FROM found
  WHERE $8::bigint IS NULL OR (arrived, last_ms, pattern_id) < ($8, $9::bigint, $10::bigint)
  ORDER BY arrived DESC, last_ms DESC, pattern_id DESC LIMIT $7)
SELECT t.total, t.all_arrived, t.dead, ${COLUMNS}, s.arrived,
  CASE WHEN p.pattern_id IS NOT NULL THEN ${TREND} END AS trend, CASE WHEN p.pattern_id IS NOT NULL THEN ${STILL_DEAD} END AS still_dead
FROM (
  SELECT count(*) AS total, coalesce(sum(arrived), 0)::bigint AS all_arrived, (
    SELECT coalesce(sum(k.dead_lettered), 0)::bigint FROM jobwarden.queue_counters k JOIN jobwarden.queues q ON q.queue_id = k.queue_id
    WHERE q.namespace = $1 AND ($2::text IS NULL OR q.queue = $2)) AS dead
  FROM found) t
LEFT JOIN (shown s JOIN jobwarden.dead_letter_patterns p USING (pattern_id) JOIN jobwarden.queues q ON q.queue_id = p.queue_id) ON true
ORDER BY s.arrived DESC, p.last_ms DESC, p.pattern_id DESC`;

export const PATTERN = `
SELECT ${COLUMNS}, ${TREND} AS trend, ${STILL_DEAD} AS still_dead, p.letters AS arrived FROM jobwarden.dead_letter_patterns p JOIN jobwarden.queues q ON q.queue_id = p.queue_id
WHERE p.pattern_id = $1`;

export const HOURS = `
SELECT hour, letters FROM jobwarden.dead_letter_hours
WHERE pattern_id = $1 AND hour >= (SELECT jobwarden.lane_now()) / 3600000 - 720 ORDER BY hour`;

/** Of the newest ones: of a pattern with a hundred thousand, those tell as much as all. */
export const SHARES = `
WITH newest AS MATERIALIZED (
  SELECT revision, worker FROM jobwarden.dead_letters WHERE pattern_id = $1 ORDER BY at_ms DESC LIMIT 10000)
(SELECT 'revision' AS what, revision AS name, count(*)::integer AS letters FROM newest GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT 10)
UNION ALL
(SELECT 'worker', worker, count(*)::integer FROM newest GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT 10)`;

/** The newest death of each job, where the job is dead still. Keys come in pages before any job is looked at. */
export const LETTERS = `
SELECT d.at_ms, d.shard, d.number, encode(d.job_key, 'hex') AS key
FROM jobwarden.dead_letters d
WHERE d.pattern_id = $1 AND ($2::bigint IS NULL OR (d.at_ms, d.shard, d.number) < ($2::bigint, $3::smallint, $4::bigint))
  AND EXISTS (SELECT FROM jobwarden.jobs j WHERE j.job_key = d.job_key AND j.status = 'dead-lettered')
  AND NOT EXISTS (SELECT FROM jobwarden.dead_letters l WHERE l.job_key = d.job_key AND l.pattern_id = $1 AND l.number > d.number)
ORDER BY d.at_ms DESC, d.shard DESC, d.number DESC LIMIT $5`;

/** Of a job that died more than once: what its newest death is of. */
export const PATTERN_OF = `SELECT pattern_id FROM jobwarden.dead_letters WHERE job_key = $1 ORDER BY number DESC LIMIT 1`;

export const LAST_REVIEW = `
SELECT at_ms, made_by, reason, queue FROM jobwarden.dead_letter_reviews
WHERE namespace = $1 AND (queue IS NULL OR queue = $2) ORDER BY at_ms DESC, review_id DESC LIMIT 1`;

export const REVIEW_PATTERN = `
WITH said AS (
  UPDATE jobwarden.dead_letter_patterns
  SET outcome = $2, outcome_ms = jobwarden.lane_now(), outcome_by = $3, outcome_why = $4 WHERE pattern_id = $1
  RETURNING pattern_id, outcome_ms, outcome, outcome_by, outcome_why)
INSERT INTO jobwarden.dead_letter_pattern_reviews (pattern_id, at_ms, outcome, made_by, reason) SELECT * FROM said RETURNING pattern_id`;

/** Newest first. */
export const PATTERN_REVIEWS = `
SELECT outcome, at_ms, made_by, reason FROM jobwarden.dead_letter_pattern_reviews WHERE pattern_id = $1 ORDER BY review_id DESC LIMIT 20`;

export const REVIEW = `
INSERT INTO jobwarden.dead_letter_reviews (namespace, queue, at_ms, made_by, reason)
VALUES ($1, $2, jobwarden.lane_now(), $3, $4) RETURNING at_ms, made_by, reason, queue`;
