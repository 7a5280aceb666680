/*
 * Who fell silent. A worker holds leases of a queue by its running jobs there, and is lost once the last of them has
 * ended: by the lease row, by its own beats, by a start that declared a lease, and never before a gap of ours is over.
 */

interface Places {
  readonly queue: string;
  readonly lease: string;
  readonly gap: string;
  /** Of jobs; default: all. */
  readonly jobs?: string;
}

/** `held_since_ms` is what was due before a look was put off. */
function running(columns: string, { queue, lease, gap, jobs = 'jobwarden.jobs' }: Places): string {
  return `
SELECT ${columns}
FROM ${jobs} j
LEFT JOIN jobwarden.leases l ON l.job_key = j.job_key AND l.attempt = j.attempt
LEFT JOIN jobwarden.workers w ON w.worker_key = l.worker_key
CROSS JOIN LATERAL (
  SELECT greatest(CASE WHEN j.waits_for = 'lease' THEN coalesce(j.held_since_ms, j.look_at_ms) END,
                  CASE WHEN l.job_key IS NOT NULL OR j.waits_for = 'lease'
                       THEN greatest(l.beat_ms, w.beat_ms, ${gap}) + coalesce(l.lease_ms, ${lease}) END) AS end_ms) e
WHERE j.queue_id = ${queue} AND j.status IN ('processing', 'restart-requested') AND j.worker IS NOT NULL AND e.end_ms IS NOT NULL`;
}

/** Their rows by the index of what is due: the time is asked once, and the order keeps from reading all that runs. */
const DUE = `(
  SELECT job_key, attempt, queue_id, status, worker, waits_for, held_since_ms, look_at_ms FROM jobwarden.jobs
  WHERE queue_id = a.queue_id AND look_at_ms <= (SELECT jobwarden.lane_now()) ORDER BY queue_id, look_at_ms OFFSET 0)`;

/** Of many queues at once, those in which a due job has a worker that may be lost: hardly ever any. */
export const SUSPECTS = `
SELECT a.at FROM (SELECT unnest($1::integer[]) AS at, unnest($2::integer[]) AS queue_id, unnest($3::bigint[]) AS lease_ms,
                         unnest($4::bigint[]) AS gap_end_ms, unnest($5::bigint[]) AS read_ms) a
WHERE EXISTS (${running('', { queue: 'a.queue_id', lease: 'a.lease_ms', gap: 'a.gap_end_ms', jobs: DUE })}
  AND e.end_ms <= a.read_ms)`;

/** $1 queue, $2 the policy's lease, $3 end of the last gap. */
const ENDS = running('j.worker, max(e.end_ms) AS end_ms, count(*) AS jobs, bool_or(coalesce(l.lane, 0) < 2) AS http', {
  queue: '$1',
  lease: '$2::bigint',
  gap: '$3::bigint',
});

/** Of those of whom some job is due, held or asked back, and of those known to be lost, who may be back: what it costs grows with them, and not with all that runs. */
const DOUBTED = `
SELECT DISTINCT worker FROM (
  SELECT worker FROM jobwarden.jobs WHERE queue_id = $1 AND worker IS NOT NULL AND look_at_ms <= $5::bigint
  UNION ALL
  SELECT worker FROM jobwarden.jobs WHERE queue_id = $1 AND worker IS NOT NULL AND status = 'restart-requested'
  UNION ALL
  SELECT worker FROM jobwarden.jobs WHERE queue_id = $1 AND worker IS NOT NULL AND held_since_ms IS NOT NULL
  UNION ALL
  SELECT worker FROM jobwarden.lost_workers WHERE queue_id = $1) d`;

/**
 * $4 how far the lane has been read, $5 now. Once for each worker, with when it was lost. Back is who has been heard since: whoever
 * comes with an older reading than the one by which a worker was lost knows nothing of that.
 */
export const NOTE_LOST = `
WITH doubted AS MATERIALIZED (${ENDS} AND j.worker IN (${DOUBTED}) GROUP BY j.worker),
noted AS (
  INSERT INTO jobwarden.lost_workers AS k (queue_id, worker, lost_ms, jobs, http)
  SELECT $1, worker, end_ms, jobs, http FROM doubted WHERE end_ms <= $4::bigint
  ON CONFLICT (queue_id, worker) DO UPDATE
  SET lost_ms = excluded.lost_ms, jobs = greatest(k.jobs, excluded.jobs), http = excluded.http
  WHERE excluded.lost_ms > k.lost_ms),
back AS (
  DELETE FROM jobwarden.lost_workers k USING doubted d
  WHERE k.queue_id = $1 AND k.worker = d.worker AND d.end_ms > greatest(k.lost_ms, $4::bigint))
SELECT`;

/** Also who beats again without a job of this queue; and who was lost too long ago, $2 being since when it counts. */
export const FORGET_LOST = `
DELETE FROM jobwarden.lost_workers k
WHERE k.queue_id = $1 AND (k.lost_ms <= $2::bigint OR EXISTS (
  SELECT FROM jobwarden.workers w WHERE w.namespace = $3 AND w.worker_id = k.worker AND w.beat_ms > k.lost_ms))`;

export const COUNT_LOST = `
SELECT count(*) AS workers, coalesce(sum(jobs), 0)::bigint AS jobs, coalesce(bool_or(http), false) AS http,
       coalesce(bool_or(NOT http), false) AS kafka, coalesce((array_agg(worker ORDER BY worker))[1:10], '{}') AS names
FROM jobwarden.lost_workers WHERE queue_id = $1`;

/** Who runs, and is not known to be lost by now: by a newer reading perhaps. */
const LIVE = `${ENDS} AND NOT EXISTS (SELECT FROM jobwarden.lost_workers k WHERE k.queue_id = $1 AND k.worker = j.worker) GROUP BY j.worker HAVING max(e.end_ms) > $4::bigint`;

/** All that run, once so many are lost that it has to be known. */
export const COUNT_LIVE = `
SELECT count(*) AS workers FROM (${LIVE}) live`;

/**
 * Once, when recovery begins to be held: of which release those are that fell silent, and those that still beat. A worker that has never told its
 * release itself counts for none. $5 namespace.
 */
export const BY_REVISION = `
SELECT w.revision, count(*) FILTER (WHERE b.lost) AS lost, count(*) FILTER (WHERE NOT b.lost) AS live
FROM (SELECT worker, true AS lost FROM jobwarden.lost_workers WHERE queue_id = $1
      UNION ALL
      SELECT worker, false FROM (${LIVE}) live) b
JOIN jobwarden.workers w ON w.namespace = $5 AND w.worker_id = b.worker
WHERE w.revision IS NOT NULL
GROUP BY w.revision ORDER BY 2 DESC, 3 DESC, 1 LIMIT 10`;

/** A beat of anybody else over HTTP since. A start does not say by which lane it came. Asked once it has lasted. */
export const HTTP_ALIVE = `
SELECT EXISTS (
  SELECT FROM jobwarden.workers w WHERE w.lane = 0 AND w.beat_ms > $2::bigint AND NOT EXISTS (
    SELECT FROM jobwarden.lost_workers k WHERE k.queue_id = $1 AND k.worker = w.worker_id))
OR EXISTS (
  SELECT FROM jobwarden.leases l JOIN jobwarden.jobs j ON j.job_key = l.job_key
  WHERE l.lane = 0 AND l.beat_ms > $2::bigint AND NOT EXISTS (
    SELECT FROM jobwarden.lost_workers k WHERE k.queue_id = $1 AND k.worker = j.worker)) AS alive`;

export const MAKE_GUARD = `INSERT INTO jobwarden.queue_guards (queue_id) VALUES ($1) ON CONFLICT (queue_id) DO NOTHING`;
/** To the commit. */
export const LOCK_GUARD = `
SELECT blackout_ms, counts_from_ms, assessed_ms, jobwarden.lane_now() AS now_ms
FROM jobwarden.queue_guards WHERE queue_id = $1 FOR UPDATE`;

export const BEGIN_BLACKOUT = `
UPDATE jobwarden.queue_guards SET blackout_ms = $2, evidence = $3, ended_by = NULL, ended_reason = NULL WHERE queue_id = $1`;

/** Who was lost before it counts for no other. */
export const END_BLACKOUT = `
WITH forgotten AS (DELETE FROM jobwarden.lost_workers WHERE queue_id = $1)
UPDATE jobwarden.queue_guards
SET blackout_ms = NULL, counts_from_ms = $2, ended_by = $3, ended_reason = $4
WHERE queue_id = $1 AND blackout_ms IS NOT NULL RETURNING 1`;

export const ASSESSED = `UPDATE jobwarden.queue_guards SET assessed_ms = $2 WHERE queue_id = $1`;

/** What it has held comes up at once, but for rows that somebody is at: those are looked at in their own time. */
export const WAKE_HELD = `
WITH held AS MATERIALIZED (
  SELECT j.ctid AS place FROM jobwarden.jobs j
  WHERE j.queue_id = $1 AND j.held_since_ms IS NOT NULL AND j.held_by = 'blackout' ORDER BY j.job_key FOR UPDATE SKIP LOCKED)
UPDATE jobwarden.jobs j SET look_at_ms = least(j.look_at_ms, $2::bigint), row_version = j.row_version + 1
FROM held WHERE j.ctid = held.place`;

const NAMED = 'FROM jobwarden.queue_guards g JOIN jobwarden.queues q USING (queue_id)';
export const GUARDED = `SELECT g.queue_id ${NAMED} WHERE q.namespace = $1 AND q.queue = $2 AND g.blackout_ms IS NOT NULL`;
export const HELD = `SELECT q.namespace, q.queue, g.blackout_ms ${NAMED} WHERE g.blackout_ms IS NOT NULL ORDER BY g.queue_id`;
export const UNTOLD = `
SELECT q.namespace, q.queue, g.blackout_ms, g.evidence, g.ended_by, g.ended_reason ${NAMED}
WHERE (g.blackout_ms IS NOT NULL) <> g.incident_open ORDER BY g.queue_id`;
/** Once, and only what still is so. */
export const TOLD = `
UPDATE jobwarden.queue_guards SET incident_open = $2::bigint IS NOT NULL
WHERE queue_id = $1 AND blackout_ms IS NOT DISTINCT FROM $2::bigint AND incident_open <> ($2::bigint IS NOT NULL) RETURNING 1`;
