import { decisionCode } from '#libs/domain';
import { cutEvents } from '../read/cut-statements.js';
import { MAY_ACT } from '../recovery/may-act.js';

/** What the publisher reads and writes. */

export const WORK = `
SELECT p.shard, p.holder::text AS holder, p.fence, p.checkpoint, p.incident_checkpoint,
       EXISTS (SELECT FROM jobwarden.events e WHERE e.shard = p.shard AND e.goes_out AND e.number > p.checkpoint) AS entries,
       EXISTS (SELECT FROM jobwarden.outbound o WHERE o.shard = p.shard AND o.retry) AS retries,
       EXISTS (SELECT FROM jobwarden.incident_steps s WHERE s.shard = p.shard AND s.number > p.incident_checkpoint) AS incidents
FROM jobwarden.publishers p WHERE p.holder = $1 ORDER BY p.shard`;

const ENTRY = `
SELECT e.shard, e.number, encode(e.job_key, 'hex') AS key, e.type, e.n, e.source, e.id, e.lane_ms, e.data,
       j.queue_id, j.period, j.job_id, q.namespace, q.queue, j.state, j.fold_version,
       CASE WHEN e.type = ${decisionCode('dead-lettered')} THEN ${cutEvents('j')} END AS cuts`;

/** The limit stands inside, so that rows are joined only for the entries that are taken. */
export const NEXT = `
${ENTRY}
FROM (SELECT * FROM jobwarden.events
      WHERE shard = $1 AND goes_out AND number > $2 ORDER BY number LIMIT $3) e
JOIN jobwarden.jobs j ON j.job_key = e.job_key
JOIN jobwarden.queues q ON q.queue_id = j.queue_id
ORDER BY e.number`;

export const RETRIES = `
${ENTRY}
FROM (SELECT shard, number, job_key FROM jobwarden.outbound WHERE shard = $1 AND retry ORDER BY number LIMIT $2) o
JOIN jobwarden.jobs j ON j.job_key = o.job_key
JOIN jobwarden.queues q ON q.queue_id = j.queue_id
JOIN jobwarden.events e ON e.period = j.period AND e.shard = o.shard AND e.number = o.number
ORDER BY e.number`;

export const PARKED = `
${ENTRY}
FROM jobwarden.outbound o
JOIN jobwarden.jobs j ON j.job_key = o.job_key
JOIN jobwarden.queues q ON q.queue_id = j.queue_id
JOIN jobwarden.events e ON e.period = j.period AND e.shard = o.shard AND e.number = o.number
WHERE o.outcome = 'parked' AND o.job_key = ANY ($1::bytea[])
ORDER BY e.number`;

/** The fence: whoever took the shard over has raised it, and nobody takes it over while this lock is held. */
export const FENCE = `
SELECT p.sent, ${MAY_ACT} AS actions_enabled FROM jobwarden.publishers p, jobwarden.installation i
WHERE p.shard = $1 AND p.holder = $2 AND p.fence = $3 FOR UPDATE OF p`;

export const LOCK_JOBS = `
SELECT encode(job_key, 'hex') AS key, state, fold_version
FROM jobwarden.jobs WHERE job_key = ANY ($1::bytea[]) ORDER BY job_key FOR SHARE`;

export const OUTCOMES = `
SELECT number, kind, outcome FROM jobwarden.outbound WHERE shard = $1 AND number = ANY ($2::bigint[])`;

/** In the order of the requests: payload by hash, the progress last told below the attempt, the grant's invalidation. */
export const ATTACHMENTS = `
SELECT convert_from(b.bytes, 'UTF8') AS payload, l.progress, g.shard, g.number
FROM unnest($1::bytea[], $2::integer[], $3::integer[], $4::bytea[], $5::bytea[]) WITH ORDINALITY
  AS w (job_key, period, attempt, hash, grant_key, place)
LEFT JOIN jobwarden.bodies b ON b.period = w.period AND b.job_key = w.job_key AND b.hash = w.hash
LEFT JOIN LATERAL (
  SELECT progress FROM jobwarden.leases
  WHERE job_key = w.job_key AND attempt < w.attempt AND progress IS NOT NULL ORDER BY attempt DESC LIMIT 1) l ON true
LEFT JOIN LATERAL (
  SELECT o.shard, o.number FROM jobwarden.events e
  JOIN jobwarden.outbound o ON o.shard = e.shard AND o.number = e.number AND o.kind = 'invalidation'
  WHERE e.period = w.period AND e.job_key = w.job_key AND e.event_key = w.grant_key) g ON true
ORDER BY w.place`;

/**
 * Answers what it wrote: a message that is there is left alone, unless it was parked, or a sink has refused it since. The
 * latter takes its place away: tried again with success it gets a new one, and streams tell it again under its old id.
 * The shard's count of places goes with it.
 */
export const WRITE = `
WITH counted AS (UPDATE jobwarden.publishers SET sent = $12 WHERE shard = $1::smallint)
INSERT INTO jobwarden.outbound AS o (shard, number, kind, queue_id, job_key, outcome, place, detail, lane_ms, message,
                                   deliver_to)
SELECT $1::smallint, * FROM unnest($2::bigint[], $3::text[], $4::integer[], $5::bytea[], $6::text[], $7::bigint[],
                                   $8::text[], $9::bigint[], $10::text[], $11::text[])
ON CONFLICT (shard, number, kind) DO UPDATE
SET outcome = excluded.outcome, place = excluded.place, retry = false, detail = excluded.detail,
    sent_at = CASE WHEN excluded.outcome = 'parked' THEN o.sent_at ELSE excluded.sent_at END, message = excluded.message,
    deliver_to = excluded.deliver_to
WHERE o.outcome = 'parked' OR (o.outcome = 'sent' AND excluded.outcome = 'parked')
RETURNING number, kind`;

/** Behind a parked one of its job a new one is parked as well, and need not be looked at again and again. */
export const DELIVER = `
INSERT INTO jobwarden.deliveries (webhook, shard, number, kind, job_key, outcome, parked_at, detail)
SELECT w.webhook, $1::smallint, w.number, w.kind, w.job_key,
       CASE WHEN b.blocked THEN 'parked' ELSE 'waiting' END, CASE WHEN b.blocked THEN now() END,
       CASE WHEN b.blocked THEN 'behind: waits for an older one of its job' END
FROM unnest($2::text[], $3::bigint[], $4::text[], $5::bytea[]) AS w (webhook, number, kind, job_key)
CROSS JOIN LATERAL (
  SELECT EXISTS (SELECT FROM jobwarden.deliveries d
                 WHERE d.webhook = w.webhook AND d.job_key = w.job_key AND d.outcome = 'parked') AS blocked) b
ON CONFLICT DO NOTHING`;

export const CHECKPOINT = `
UPDATE jobwarden.publishers SET checkpoint = greatest(checkpoint, $4)
WHERE shard = $1 AND holder = $2 AND fence = $3 RETURNING 1`;

export const INCIDENT_STEPS = `
SELECT s.shard, s.number, s.incident_id, i.kind, i.subject, i.queue_id, q.namespace, q.queue, i.summary, i.opened_ms,
       s.n, s.type, s.at_ms, s.made_by, s.reason, s.evidence
FROM (SELECT * FROM jobwarden.incident_steps WHERE shard = $1 AND number > $2 ORDER BY number LIMIT $3) s
JOIN jobwarden.incidents i ON i.incident_id = s.incident_id
LEFT JOIN jobwarden.queues q ON q.queue_id = i.queue_id
ORDER BY s.number`;

export const INCIDENT_CHECKPOINT = `
UPDATE jobwarden.publishers SET incident_checkpoint = greatest(incident_checkpoint, $4)
WHERE shard = $1 AND holder = $2 AND fence = $3 RETURNING 1`;
