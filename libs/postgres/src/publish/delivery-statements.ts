import { MAY_ACT } from '../recovery/may-act.js';

/** Deliveries to webhooks. */

/**
 * Due ones, of each job only the oldest there is, whatever it waits for; each counts as a try from here on. Rows that
 * somebody is claiming are passed over; once claimed, `next_at` keeps others away. The stop switch holds commands and
 * dead letters back; incidents are no actions.
 */
export const CLAIM = `
WITH due AS (
  SELECT d.webhook, d.shard, d.number, d.kind FROM jobwarden.deliveries d
  WHERE d.webhook = $1 AND d.outcome = 'waiting' AND d.next_at <= clock_timestamp()
    AND (d.kind = 'incident' OR (SELECT ${MAY_ACT} FROM jobwarden.installation i))
    AND NOT EXISTS (SELECT FROM jobwarden.deliveries b
                    WHERE b.webhook = d.webhook AND b.job_key = d.job_key AND b.number < d.number)
  ORDER BY d.next_at LIMIT $2 FOR UPDATE OF d SKIP LOCKED),
claimed AS (
  UPDATE jobwarden.deliveries d
  SET tries = d.tries + 1, claim = gen_random_uuid(),
      next_at = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
  FROM due WHERE d.webhook = due.webhook AND d.shard = due.shard AND d.number = due.number AND d.kind = due.kind
  RETURNING d.webhook, d.shard, d.number, d.kind, d.job_key, d.tries, d.claim)
SELECT c.webhook, c.shard, c.number, c.kind, encode(c.job_key, 'hex') AS key, c.tries, c.claim::text AS claim,
       o.lane_ms, o.message, j.status, j.attempt
FROM claimed c
JOIN jobwarden.outbound o ON o.shard = c.shard AND o.number = c.number AND o.kind = c.kind
LEFT JOIN jobwarden.jobs j ON j.job_key = c.job_key
ORDER BY c.shard, c.number`;

const MINE = `webhook = $1 AND shard = $2 AND number = $3 AND kind = $4 AND claim = $5::uuid`;

export const FINISH = `DELETE FROM jobwarden.deliveries WHERE ${MINE} RETURNING 1`;

export const POSTPONE = `
UPDATE jobwarden.deliveries
SET next_at = clock_timestamp() + make_interval(secs => $6::float8 / 1000), claim = NULL,
    detail = coalesce($7, detail), tries = tries - CASE WHEN $8 THEN 0 ELSE 1 END
WHERE ${MINE}`;

export const PARK = `
WITH head AS (
  UPDATE jobwarden.deliveries SET outcome = 'parked', parked_at = clock_timestamp(), claim = NULL, detail = $6
  WHERE ${MINE} RETURNING webhook, job_key, number)
UPDATE jobwarden.deliveries d
SET outcome = 'parked', parked_at = clock_timestamp(), detail = 'behind: waits for an older one of its job'
FROM head h
WHERE d.webhook = h.webhook AND d.job_key = h.job_key AND d.number > h.number AND d.outcome = 'waiting'`;
