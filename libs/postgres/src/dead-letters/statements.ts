import { rowsOf } from '../arrays.js';

/** `dead-lettered`, as the log numbers its types. */
const DEAD_LETTERED = 105;
/** Patterns of one queue; the rest goes under one. */
export const PATTERNS_PER_QUEUE = 1_000;
/** Where it was thrown stands within that, in Python at the end of a stack that is no longer. */
export const STACK_BYTES = 65_536;

export const MAKE_READERS = `
INSERT INTO jobwarden.dead_letter_readers (shard, number) SELECT shard, 0 FROM jobwarden.shards ON CONFLICT DO NOTHING`;

export const UNSORTED = `
SELECT e.shard, e.number, r.number AS seen, e.period, encode(e.job_key, 'hex') AS key, j.queue_id, q.namespace, q.queue, j.kind,
       e.lane_ms, e.data
FROM jobwarden.dead_letter_readers r
CROSS JOIN LATERAL (
  SELECT * FROM jobwarden.events WHERE type = ${String(DEAD_LETTERED)} AND shard = r.shard AND number > r.number ORDER BY number LIMIT $1) e
JOIN jobwarden.jobs j ON j.job_key = e.job_key
JOIN jobwarden.queues q ON q.queue_id = j.queue_id
ORDER BY e.shard, e.number`;

export const STACKS = `
SELECT encode(b.job_key, 'hex') AS key, encode(b.hash, 'hex') AS hash, substring(b.bytes FROM 1 FOR ${String(STACK_BYTES)}) AS bytes
FROM ${rowsOf({ job_key: 'bytea', hash: 'bytea', period: 'integer' })} w
JOIN jobwarden.bodies b ON b.job_key = w.job_key AND b.hash = w.hash AND b.period = w.period
WHERE b.bytes IS NOT NULL`;

/** In the order of the shards, by whoever is first. */
export const MOVE_READERS = `
WITH locked AS MATERIALIZED (
  SELECT w.* FROM ${rowsOf({ shard: 'smallint', seen: 'bigint', next: 'bigint' })} w
  CROSS JOIN LATERAL (SELECT FROM jobwarden.dead_letter_readers WHERE shard = w.shard AND number = w.seen FOR UPDATE) l)
UPDATE jobwarden.dead_letter_readers r SET number = l.next FROM locked l WHERE r.shard = l.shard
RETURNING r.shard`;

/** Which of these are known, and how many their queues have. */
export const KNOWN = `
SELECT encode(w.fingerprint, 'hex') AS fingerprint,
       EXISTS (SELECT FROM jobwarden.dead_letter_patterns p WHERE p.fingerprint = w.fingerprint) AS known,
       (SELECT count(*)::integer FROM jobwarden.dead_letter_patterns p WHERE p.queue_id = w.queue_id) AS of_queue
FROM ${rowsOf({ fingerprint: 'bytea', queue_id: 'integer' })} w`;

/** In the order of the fingerprints, so that two who sort at once never wait for each other. */
export const UPSERT_PATTERNS = `
INSERT INTO jobwarden.dead_letter_patterns AS p
  (fingerprint, queue_id, kind, reason, class, message, frames, first_ms, last_ms, letters)
SELECT w.* FROM ${rowsOf({
  ...{ fingerprint: 'bytea', queue_id: 'integer', kind: 'text', reason: 'text', class: 'text', message: 'text', frames: 'text' },
  ...{ first_ms: 'bigint', last_ms: 'bigint', letters: 'bigint' },
})} w ORDER BY w.fingerprint
ON CONFLICT (fingerprint) DO UPDATE
SET first_ms = least(p.first_ms, excluded.first_ms), last_ms = greatest(p.last_ms, excluded.last_ms), letters = p.letters + excluded.letters
RETURNING pattern_id, encode(fingerprint, 'hex') AS fingerprint`;

export const UPSERT_HOURS = `
INSERT INTO jobwarden.dead_letter_hours AS h (pattern_id, hour, letters)
SELECT w.* FROM ${rowsOf({ pattern_id: 'bigint', hour: 'integer', letters: 'integer' })} w ORDER BY w.pattern_id, w.hour
ON CONFLICT (pattern_id, hour) DO UPDATE SET letters = h.letters + excluded.letters`;

export const INSERT_LETTERS = `
INSERT INTO jobwarden.dead_letters (shard, number, period, pattern_id, job_key, attempt, at_ms, worker, revision)
SELECT w.* FROM ${rowsOf({
  ...{ shard: 'smallint', number: 'bigint', period: 'integer', pattern_id: 'bigint', job_key: 'bytea', attempt: 'integer' },
  ...{ at_ms: 'bigint', worker: 'text', revision: 'text' },
})} w`;
