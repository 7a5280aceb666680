import { rowsOf } from '../arrays.js';

/** Locked by whoever grades it is left for the next time. */
export const CONFIRM_SILENT = `
WITH due AS MATERIALIZED (
  SELECT verdict_id FROM jobwarden.verdicts
  WHERE grade = 'open' AND confirm_ms IS NOT NULL AND confirm_ms <= $1
  ORDER BY confirm_ms LIMIT $2 FOR UPDATE SKIP LOCKED)
UPDATE jobwarden.verdicts v SET grade = 'confirmed', graded_ms = jobwarden.lane_now()
FROM due WHERE v.verdict_id = due.verdict_id
RETURNING 1`;

const LIVE = `j.status NOT IN ('succeeded', 'dead-lettered', 'cancelled', 'discarded')`;
/** As the partial index has it. */
const STANDING = `v.kind = 'would-have' AND v.state IN ('shown', 'proposed', 'approved', 'expired')`;
const CAN_BE_APPROVED = `${STANDING} AND v.state <> 'approved' AND v.action IS NOT NULL AND j.attempt = v.attempt AND ${LIVE}`;

const VERDICT = `
SELECT v.verdict_id::text AS id, encode(v.job_key, 'hex') AS key, q.namespace, q.queue, v.action, v.state,
       coalesce(${CAN_BE_APPROVED}, false) AS stands, count(*) OVER () AS total
FROM jobwarden.verdicts v JOIN jobwarden.queues q ON q.queue_id = v.queue_id`;

export const BY_ID = `${VERDICT} LEFT JOIN jobwarden.jobs j ON j.job_key = v.job_key`;
export const BY_FILTER = `${VERDICT} JOIN jobwarden.jobs j ON j.job_key = v.job_key`;
export const APPROVABLE = CAN_BE_APPROVED;

/** Jobs first, in key order, as every writer has it. */
export const LOCK_JOBS = `
SELECT FROM jobwarden.jobs WHERE job_key = ANY ($1::bytea[]) ORDER BY job_key FOR UPDATE`;

export const APPROVE = `
UPDATE jobwarden.verdicts v
SET state = 'approved', approved_by = $3, approved_reason = $4, approved_ms = jobwarden.lane_now(),
    approval_until_ms = jobwarden.lane_now() + u.holds_ms, refusal = NULL
FROM ${rowsOf({ id: 'bigint', holds_ms: 'bigint' })} AS u, jobwarden.jobs j
WHERE v.verdict_id = u.id AND j.job_key = v.job_key AND ${CAN_BE_APPROVED}
RETURNING 1`;

/** Due at once. A new version: who remembers the row would plan without the approval. 3: resting, approved. */
export const MAKE_DUE = `
UPDATE jobwarden.jobs SET look_at_ms = jobwarden.lane_now(), open_verdicts = open_verdicts | 3, row_version = row_version + 1
WHERE job_key = ANY ($1::bytea[])`;

export const WRONG_ACTS = `
SELECT v.verdict_id::text AS id, q.namespace, q.queue, coalesce(j.job_id, s.job_id, '') AS job_id, v.attempt, v.action,
       v.level, v.reason, v.decision, v.worker, v.first_ms AS at_ms, v.graded_ms
FROM jobwarden.verdicts v JOIN jobwarden.queues q ON q.queue_id = v.queue_id
LEFT JOIN jobwarden.jobs j ON j.job_key = v.job_key
LEFT JOIN jobwarden.job_summaries s ON s.job_key = v.job_key
WHERE v.kind = 'act' AND v.grade = 'wrong' AND NOT v.answered ORDER BY v.verdict_id LIMIT $1`;

export const ANSWERED = `
UPDATE jobwarden.verdicts SET answered = true
WHERE verdict_id = ANY ($1::bigint[]) AND NOT answered RETURNING verdict_id::text AS id`;
