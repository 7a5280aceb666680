import { decisionCode } from '#libs/domain';
import { rowsOf } from '../arrays.js';
import { BEGIN_BY_KEY } from '../database.js';
import { GAPS } from '../lanes/gaps.js';

/** The writer's statements, in the order in which a transaction runs them. */

const FRAME = `
SELECT jobwarden.lane_now() AS lane_ms, i.epoch, i.actions_enabled, i.restored IS NOT NULL AS restored,
       i.observe_until_ms, i.retention_line, i.fold_version, i.refusals_version, l.*,
       concat(i.tableoid, '/', pg_postmaster_start_time()) AS server
FROM jobwarden.installation i, ${GAPS} l`;

/** BEGIN and the transaction's frame in one round trip. */
export const BEGIN = `${BEGIN_BY_KEY};${FRAME}`;

/**
 * Of a claim: what it goes by was read in it, and may be refused by the time a halted replica goes on. So the server ends it before
 * the replica counts as dead, which it does 5 s after its last beat, and 4 s after the halt at the earliest.
 */
export const BEGIN_CLAIM = `${BEGIN_BY_KEY}; SET LOCAL idle_in_transaction_session_timeout = '3s';${FRAME}`;

/** OFFSET keeps the look-up one by one, by key. */
const READ = `
SELECT j.* FROM ${rowsOf({ job_key: 'bytea' })} AS w CROSS JOIN LATERAL (
  SELECT encode(job_key, 'hex') AS key, ctid::text AS place, queue_id, shard, period, row_version, fold_version,
         open_verdicts, coalesce(held_since_ms, look_at_ms) AS due_ms, held_by, look_at_ms, state
  FROM jobwarden.jobs WHERE job_key = w.job_key`;
const LOCK = `${READ} FOR UPDATE`;
export const READ_ROWS = `${READ} OFFSET 0) AS j`;
/** One row after the other, in the order of the keys as given: sorted, in every statement that locks jobs. */
export const LOCK_WAIT = `${LOCK}) AS j`;
export const LOCK_SKIP = `${LOCK} SKIP LOCKED) AS j`;

/** Of jobs that have no row, those that are below the retention line. */
export const SUMMARIES = `
SELECT encode(s.job_key, 'hex') AS key FROM jobwarden.job_summaries s WHERE s.job_key = ANY ($1::bytea[])`;

const REFUSAL = `CASE WHEN type = ${String(decisionCode('write-refused'))} THEN data::json ->> 'reason' END`;

/** Of one period: of the partitions of all others nothing is opened. OFFSET keeps the look-up one by one, by key. */
export const KNOWN_EVENTS = `
SELECT e.* FROM ${rowsOf({ job_key: 'bytea', event_key: 'bytea' })} AS w CROSS JOIN LATERAL (
  SELECT encode(job_key, 'hex') AS key, encode(event_key, 'hex') AS event_key,
         encode(content_hash, 'hex') AS content_hash, shard, number, ${REFUSAL} AS refusal
  FROM jobwarden.events WHERE job_key = w.job_key AND event_key = w.event_key AND period = $3 OFFSET 0) AS e`;

const LEASES = `
SELECT encode(job_key, 'hex') AS key, attempt, beat_ms, lease_ms, encode(worker_key, 'hex') AS worker_key, progress
FROM jobwarden.leases WHERE job_key = ANY ($1::bytea[]) ORDER BY job_key, attempt`;
export const LEASES_READ = LEASES;
export const LEASES_LOCK = `${LEASES} FOR UPDATE`;

const WORKER_BEATS = `
SELECT encode(worker_key, 'hex') AS worker_key, beat_ms
FROM jobwarden.workers WHERE worker_key = ANY ($1::bytea[]) ORDER BY worker_key`;
export const WORKER_BEATS_READ = WORKER_BEATS;
export const WORKER_BEATS_LOCK = `${WORKER_BEATS} FOR SHARE`;

/** Newest last: of two that fit the later one counts. */
export const APPROVALS = `
SELECT encode(job_key, 'hex') AS key, verdict_id, attempt, action, reason, decision, state,
       approval_until_ms AS until_ms, approved_by AS by, approved_reason AS why
FROM jobwarden.verdicts
WHERE job_key = ANY ($1::bytea[]) AND kind = 'would-have' AND state IN ('approved', 'decided')
  AND approved_by IS NOT NULL ORDER BY approved_ms`;

export const QUARANTINE_HOLDS = `
SELECT DISTINCT encode(named.job_key, 'hex') AS key
FROM jobwarden.quarantine q CROSS JOIN LATERAL unnest(q.job_keys) AS named (job_key)
WHERE q.outcome = 'open' AND q.job_keys && $1::bytea[] AND named.job_key = ANY ($1::bytea[])`;

/**
 * Empty rows, of version 0, for new jobs that others are making too: whoever comes then finds a row to lock. Not from
 * the beginning of time, or the oldest job of the queue would be one that is not there yet.
 */
export const RESERVE_JOBS = `
INSERT INTO jobwarden.jobs (job_key, shard, queue_id, period, job_id, since_ms)
SELECT u.*, $6
FROM ${rowsOf({ job_key: 'bytea', shard: 'smallint', queue_id: 'integer', period: 'integer', job_id: 'text' })} AS u
ON CONFLICT (job_key) DO NOTHING`;

const updateOf = (at: Readonly<Record<string, string>>): string => `
UPDATE jobwarden.jobs j
SET kind = u.kind, status = u.status, attempt = u.attempt, n = u.n, row_version = j.row_version + 1, fold_version = u.fold_version,
    waits_for = u.waits_for, since_ms = u.since_ms, look_at_ms = u.look_at_ms, worker = u.worker, held_by = NULL,
    held_since_ms = NULL, open_verdicts = coalesce(u.open_verdicts, j.open_verdicts), state = u.state
FROM ${rowsOf({
  ...at,
  seen: 'integer',
  kind: 'text',
  status: 'text',
  attempt: 'integer',
  n: 'integer',
  waits_for: 'text',
  since_ms: 'bigint',
  look_at_ms: 'bigint',
  worker: 'text',
  open_verdicts: 'smallint',
  state: 'text',
  fold_version: 'smallint',
})} AS u
WHERE j.row_version = u.seen`;
/** Rows by where they lie: they are locked, so they have not moved since. */
export const UPDATE_JOBS = `${updateOf({ place: 'tid' })} AND j.ctid = u.place`;
/** Rows that are not locked yet: in the order of the keys as given, and none that has another version meanwhile. */
export const UPDATE_REMEMBERED = `${updateOf({ job_key: 'bytea' })} AND j.job_key = u.job_key AND j.fold_version = u.fold_version`;

/**
 * Only when it is looked at next, and whether something was said of it. A new version all the same: who remembers the
 * older one has planned without what is known by now.
 */
export const RESCHEDULE_JOBS = `
UPDATE jobwarden.jobs j
SET row_version = j.row_version + 1, look_at_ms = u.look_at_ms, waits_for = u.waits_for,
    open_verdicts = coalesce(u.open_verdicts, j.open_verdicts),
    held_by = u.held_by, held_since_ms = u.held_since_ms
FROM ${rowsOf({
  place: 'tid',
  look_at_ms: 'bigint',
  waits_for: 'text',
  open_verdicts: 'smallint',
  held_by: 'text',
  held_since_ms: 'bigint',
})} AS u
WHERE j.ctid = u.place`;

export const UPSERT_LEASES = `
INSERT INTO jobwarden.leases AS l (job_key, attempt, beat_ms, lease_ms, worker_key, progress, token, lane)
SELECT u.*, $8
FROM ${rowsOf({
  job_key: 'bytea',
  attempt: 'integer',
  beat_ms: 'bigint',
  lease_ms: 'bigint',
  worker_key: 'bytea',
  progress: 'text',
  token: 'bigint',
})} AS u
ORDER BY u.job_key, u.attempt
ON CONFLICT (job_key, attempt) DO UPDATE
SET lease_ms = CASE WHEN excluded.beat_ms >= l.beat_ms THEN excluded.lease_ms ELSE l.lease_ms END,
    progress = CASE WHEN excluded.beat_ms >= l.beat_ms THEN coalesce(excluded.progress, l.progress) ELSE l.progress END,
    worker_key = coalesce(excluded.worker_key, l.worker_key), token = coalesce(excluded.token, l.token),
    beat_ms = greatest(excluded.beat_ms, l.beat_ms)`;

export const DELETE_LEASES = `
DELETE FROM jobwarden.leases WHERE job_key = ANY ($1::bytea[])`;

export const INSERT_BODIES = `
INSERT INTO jobwarden.bodies (period, job_key, hash, role, bytes)
SELECT u.* FROM ${rowsOf({ period: 'integer', job_key: 'bytea', hash: 'bytea', role: 'text', bytes: 'bytea' })} AS u
ON CONFLICT (job_key, hash, period) DO NOTHING`;

/**
 * Last of all: the shards' numbers, locked in the order given and held to the commit. And the retention line: one that has
 * moved meanwhile may have taken away a job that was held for a new one.
 */
export const TAKE_NUMBERS = `
WITH locked AS MATERIALIZED (
  SELECT w.shard, w.count, s.number FROM ${rowsOf({ shard: 'smallint', count: 'bigint' })} AS w
  CROSS JOIN LATERAL (SELECT number FROM jobwarden.shards WHERE shard = w.shard FOR UPDATE) AS s)
UPDATE jobwarden.shards s SET number = l.number + l.count FROM locked l WHERE s.shard = l.shard
RETURNING s.shard, l.number, (SELECT retention_line FROM jobwarden.installation) AS retention_line`;
