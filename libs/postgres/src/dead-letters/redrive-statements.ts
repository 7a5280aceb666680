/** Of what is under `other`, the rest of a queue with too many patterns, only the log says the reason. */
const REASON = `CASE WHEN p.reason <> 'other' THEN p.reason ELSE (
  SELECT e.data::json ->> 'reason' FROM jobwarden.events e WHERE e.period = d.period AND e.shard = d.shard AND e.number = d.number) END`;

/** Bound at once: `$1` queue id, `$2` pattern, `$3` kind, `$4` reason of the dead letter. */
const MEANT = `
  j.queue_id = $1 AND j.status = 'dead-lettered' AND j.row_version > 0 AND ($3::text IS NULL OR j.kind = $3)
  AND ($2::bigint IS NULL AND $4::text IS NULL OR EXISTS (
    SELECT FROM jobwarden.dead_letters d JOIN jobwarden.dead_letter_patterns p ON p.pattern_id = d.pattern_id
    WHERE d.job_key = j.job_key AND ($2::bigint IS NULL OR d.pattern_id = $2) AND ($4::text IS NULL OR ${REASON} = $4)
      AND d.number = (SELECT max(l.number) FROM jobwarden.dead_letters l WHERE l.job_key = j.job_key)))`;

export const QUEUE = `SELECT queue_id FROM jobwarden.queues WHERE namespace = $1 AND queue = $2`;

export const COUNT = `SELECT count(*)::integer AS found FROM jobwarden.jobs j WHERE ${MEANT}`;

/** In the order in which they died, behind `$5`, `$6`, up to `$7`. */
export const NEXT = `
SELECT q.namespace, q.queue, j.job_id, j.since_ms, encode(j.job_key, 'hex') AS key
FROM jobwarden.jobs j JOIN jobwarden.queues q ON q.queue_id = j.queue_id
WHERE ${MEANT} AND (j.since_ms, j.job_key) > ($5::bigint, $6::bytea) AND j.since_ms <= $7
ORDER BY j.since_ms, j.job_key LIMIT $8`;

/** The oldest, at most `$5`. */
export const AHEAD = `SELECT j.kind, j.state FROM jobwarden.jobs j WHERE ${MEANT} ORDER BY j.since_ms, j.job_key LIMIT $5`;

const COLUMNS = `
  r.redrive_id, r.queue_id, q.namespace, q.queue, r.pattern_id, r.kind, r.died_of, r.per_second, r.forced, r.made_by, r.reason, r.started_ms,
  r.ended_ms, r.stopped_by, r.status, r.wanted, r.redriven, r.refused, r.refusals, r.since_ms, encode(r.job_key, 'hex') AS job_key, r.busy_until::text AS claim`;

export const START = `
WITH r AS (
  INSERT INTO jobwarden.redrives (queue_id, pattern_id, kind, died_of, per_second, forced, made_by, reason, started_ms, wanted)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, jobwarden.lane_now(), $9) RETURNING *)
SELECT ${COLUMNS} FROM r JOIN jobwarden.queues q ON q.queue_id = r.queue_id`;

/** Ten seconds for a second's worth; the one that waited longest. Counted from when it was due, at most a second ago: looks come a little late, and the rate would fall behind. */
export const TAKE = `
WITH r AS (
  UPDATE jobwarden.redrives SET busy_until = greatest(busy_until, clock_timestamp() - interval '1 second') + interval '10 seconds'
  WHERE redrive_id = (
    SELECT redrive_id FROM jobwarden.redrives WHERE status = 'running' AND busy_until < clock_timestamp()
    ORDER BY busy_until, redrive_id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING *)
SELECT ${COLUMNS} FROM r JOIN jobwarden.queues q ON q.queue_id = r.queue_id`;

export const GOES_ON = `SELECT redrive_id FROM jobwarden.redrives WHERE redrive_id = $1 AND status = 'running' AND busy_until = $2::timestamptz`;

export const NOTE = `
UPDATE jobwarden.redrives
SET redriven = redriven + $2, refused = refused + $3, refusals = $4,
    (since_ms, job_key) = (SELECT CASE WHEN ahead THEN $5::bigint ELSE since_ms END, CASE WHEN ahead THEN $6::bytea ELSE job_key END
                           FROM (SELECT ($5::bigint, $6::bytea) > (since_ms, job_key) AS ahead) a)
WHERE redrive_id = $1`;

/** The next step a second after this one was due. */
export const END_STEP = `
UPDATE jobwarden.redrives
SET busy_until = busy_until - interval '9 seconds',
    status = CASE WHEN status = 'running' AND $2 THEN 'finished' ELSE status END,
    ended_ms = CASE WHEN status = 'running' AND $2 THEN jobwarden.lane_now() ELSE ended_ms END
WHERE redrive_id = $1 AND busy_until = $3::timestamptz`;

export const STOP = `
WITH r AS (
  UPDATE jobwarden.redrives SET status = 'stopped', stopped_by = $2, ended_ms = jobwarden.lane_now() WHERE redrive_id = $1 AND status = 'running' RETURNING *)
SELECT ${COLUMNS} FROM r JOIN jobwarden.queues q ON q.queue_id = r.queue_id`;

export const ONE = `SELECT ${COLUMNS} FROM jobwarden.redrives r JOIN jobwarden.queues q ON q.queue_id = r.queue_id WHERE r.redrive_id = $1`;

export const LIST = `
SELECT ${COLUMNS} FROM jobwarden.redrives r JOIN jobwarden.queues q ON q.queue_id = r.queue_id
WHERE q.namespace = $1 AND ($2::text IS NULL OR q.queue = $2) AND ($3::bigint IS NULL OR r.redrive_id < $3)
ORDER BY r.redrive_id DESC LIMIT $4`;
