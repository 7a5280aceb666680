/**
 * Where the bodies of one job lie. `$1` is its key. Messages are found through the log, whose numbers they carry: an index on
 * the job would cost every message something for what is asked once in a while.
 */

export const COUNT = `
SELECT (SELECT count(*) FROM jobwarden.bodies b JOIN jobwarden.jobs j ON j.job_key = b.job_key AND j.period = b.period
        WHERE j.job_key = $1 AND b.bytes IS NOT NULL)::integer AS bodies,
       (SELECT count(*) FROM jobwarden.leases WHERE job_key = $1 AND progress IS NOT NULL)::integer AS progress`;

/** Those that may have a payload or progress in them. */
export const COMMANDS = `
SELECT o.shard, o.number, o.message
FROM jobwarden.jobs j
JOIN jobwarden.events e ON e.job_key = j.job_key AND e.period = j.period AND e.goes_out
JOIN jobwarden.outbound o ON o.shard = e.shard AND o.number = e.number AND o.kind = 'enqueue'
WHERE j.job_key = $1 AND (strpos(o.message, '"payload":') > 0 OR strpos(o.message, '"progress":') > 0)
ORDER BY o.number`;

export const QUARANTINED = `
SELECT quarantine_id AS id, cardinality(job_keys) AS jobs, bytes FROM jobwarden.quarantine
WHERE job_keys @> ARRAY[$1::bytea] AND length(bytes) > 0 ORDER BY quarantine_id`;

export const ERASE_BODIES = `
UPDATE jobwarden.bodies b SET bytes = NULL FROM jobwarden.jobs j
WHERE j.job_key = $1 AND b.job_key = j.job_key AND b.period = j.period AND b.bytes IS NOT NULL`;

export const ERASE_PROGRESS = `UPDATE jobwarden.leases SET progress = NULL WHERE job_key = $1 AND progress IS NOT NULL`;

/** It has no place any more: no stream tells it, and whoever was to get it gets nothing rather than half of it. */
export const SKIP_COMMAND = `
WITH undelivered AS (DELETE FROM jobwarden.deliveries WHERE shard = $1 AND number = $2 AND kind = 'enqueue')
UPDATE jobwarden.outbound SET message = $3, outcome = 'skipped', place = NULL, retry = false, detail = 'payload_erased'
WHERE shard = $1 AND number = $2 AND kind = 'enqueue'`;

export const REWRITE_COMMAND = `
UPDATE jobwarden.outbound SET message = $3 WHERE shard = $1 AND number = $2 AND kind = 'enqueue'`;

/** What is left of it holds nothing back. Its digest stays: sent again it is the same entry. */
export const DISMISS_QUARANTINED = `
UPDATE jobwarden.quarantine
SET bytes = '', detail = 'erased',
    outcome = CASE WHEN outcome = 'open' THEN 'dismissed' ELSE outcome END,
    closed_by = coalesce(closed_by, $2), closed_reason = coalesce(closed_reason, $3), closed_at = coalesce(closed_at, now())
WHERE quarantine_id = $1`;

export const REWRITE_QUARANTINED = `UPDATE jobwarden.quarantine SET bytes = $2 WHERE quarantine_id = $1`;
