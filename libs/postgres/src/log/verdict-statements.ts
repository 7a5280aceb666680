import { rowsOf } from '../arrays.js';

/** Verdicts, as the writer leaves them. In the order in which a transaction runs these, after the rows of their jobs. */

/** Said again of the same attempt, for the same reason: as new, but that a wrong one stays wrong. */
export const UPSERT_VERDICTS = `
INSERT INTO jobwarden.verdicts AS v (job_key, queue_id, attempt, kind, verdict, reason, action, level, decision,
                                     threshold_source, state, threshold_ms, confirm_ms, worker, first_ms, last_ms)
SELECT u.job_key, u.queue_id, u.attempt, u.kind, u.verdict, u.reason, u.action, u.level, u.decision, u.threshold_source,
       u.state, u.threshold_ms, $15::bigint + u.confirm_after_ms, u.worker, $15::bigint, $15::bigint
FROM ${rowsOf({
  job_key: 'bytea',
  queue_id: 'integer',
  attempt: 'integer',
  kind: 'text',
  verdict: 'text',
  reason: 'text',
  action: 'text',
  level: 'text',
  decision: 'text',
  threshold_source: 'text',
  state: 'text',
  threshold_ms: 'bigint',
  confirm_after_ms: 'bigint',
  worker: 'text',
})} AS u
ON CONFLICT (job_key, attempt, kind, reason) DO UPDATE
SET times = v.times + 1, last_ms = excluded.last_ms, level = excluded.level, state = excluded.state,
    decision = excluded.decision, action = excluded.action, confirm_ms = excluded.confirm_ms, refusal = NULL,
    approved_by = NULL, approved_reason = NULL, approved_ms = NULL, approval_until_ms = NULL`;

const STANDS = `state IN ('shown', 'proposed', 'approved', 'expired')`;

/**
 * Wrong always wins: a later sign of life overrules what time has confirmed. What makes it wrong depends on what it says:
 * a hung attempt beats all the time, and may end as failed because it was told to stop; a failed one has ended. A start of
 * the next attempt confirms only what did not lead to it, and speaks against giving the job up.
 */
export const GRADE_VERDICTS = `
UPDATE jobwarden.verdicts v
SET grade = found.grade, graded_ms = $4, state = CASE WHEN ${STANDS} THEN 'lapsed' ELSE state END
FROM ${rowsOf({ job_key: 'bytea', attempt: 'integer', sign: 'text' })} AS u CROSS JOIN LATERAL (
  SELECT ctid AS place,
    CASE WHEN u.sign = 'next' AND decision <> 'dead-lettered' THEN 'confirmed' ELSE 'wrong' END AS grade
  FROM jobwarden.verdicts
  WHERE job_key = u.job_key AND attempt = u.attempt AND kind IN ('would-have', 'act') AND CASE u.sign
    WHEN 'next' THEN grade = 'open' AND kind = 'would-have' AND state <> 'decided'
    WHEN 'succeeded' THEN grade <> 'wrong'
    WHEN 'failed' THEN grade <> 'wrong' AND reason NOT IN ('failed', 'released')
      AND NOT (state = 'decided' AND verdict IS NOT DISTINCT FROM 'hung')
    ELSE grade <> 'wrong' AND reason <> 'failed' AND verdict IS DISTINCT FROM 'hung' END
  FOR UPDATE) AS found
WHERE v.ctid = found.place`;

export const SETTLE_VERDICTS = `
UPDATE jobwarden.verdicts v SET state = u.state, refusal = u.refusal
FROM ${rowsOf({ verdict_id: 'bigint', state: 'text', refusal: 'text' })} AS u WHERE v.verdict_id = u.verdict_id`;

/** The job has moved on: there is nothing to approve any more. */
export const LAPSE_VERDICTS = `
UPDATE jobwarden.verdicts SET state = 'lapsed'
WHERE job_key = ANY ($1::bytea[]) AND kind = 'would-have' AND ${STANDS}`;
