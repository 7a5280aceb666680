import type { ProbingStore, QueueTally, RequeuedAttempt } from '#libs/application';
import type { ProbingMove } from '#libs/domain';
import { hexes, ints } from '../arrays.js';
import type { Database, Queryable } from '../database.js';

/** Of each queue no more than there is room for. */
const SAMPLE = `
INSERT INTO jobwarden.rerun_samples (queue_id, job_key, attempt, at_ms)
SELECT queue_id, job_key, attempt, jobwarden.lane_now()
FROM (SELECT w.*, row_number() OVER (PARTITION BY w.queue_id) + coalesce(k.known, 0) AS place
      FROM (SELECT unnest($1::integer[]) AS queue_id, unnest($2::bytea[]) AS job_key, unnest($3::integer[]) AS attempt) w
      LEFT JOIN (SELECT queue_id, count(*) AS known FROM jobwarden.rerun_samples GROUP BY queue_id) k USING (queue_id)) placed
WHERE place <= $4 ON CONFLICT DO NOTHING`;

/** An attempt that the job has gone beyond has failed, however it ended. */
const FAILED = `j.attempt > s.attempt OR j.status IN ('failed', 'retrying', 'dead-lettered', 'restart-requested', 'incomplete')`;
/** $1: of this queue; null: of all. */
const TALLIES = `
SELECT q.namespace, q.queue, q.queue_id, g.probing_ms, coalesce(g.probed_ms, 0) AS probed_ms,
       count(*) FILTER (WHERE j.status = 'succeeded') AS succeeded,
       count(*) FILTER (WHERE j.status <> 'succeeded' AND (${FAILED})) AS failed
FROM (SELECT queue_id FROM jobwarden.rerun_samples UNION SELECT queue_id FROM jobwarden.queue_guards WHERE probing_ms IS NOT NULL) known
JOIN jobwarden.queues q USING (queue_id)
LEFT JOIN jobwarden.queue_guards g USING (queue_id)
LEFT JOIN jobwarden.rerun_samples s USING (queue_id)
LEFT JOIN jobwarden.jobs j ON j.job_key = s.job_key
WHERE $1::integer IS NULL OR q.queue_id = $1
GROUP BY q.queue_id, g.probing_ms, g.probed_ms ORDER BY q.queue_id`;
const PURGE = `DELETE FROM jobwarden.rerun_samples WHERE at_ms < (SELECT jobwarden.lane_now()) - $1::bigint`;

const MAKE = `INSERT INTO jobwarden.queue_guards (queue_id) VALUES ($1) ON CONFLICT (queue_id) DO NOTHING`;
/** To the commit. */
const LOCK = `SELECT queue_id FROM jobwarden.queue_guards WHERE queue_id = $1 FOR UPDATE`;
const BEGIN = `
UPDATE jobwarden.queue_guards SET probing_ms = $2, probed_ms = $2, probes_left = $3 WHERE queue_id = $1 AND probing_ms IS NULL`;
const AGAIN = `
UPDATE jobwarden.queue_guards SET probed_ms = $2, probes_left = $3
WHERE queue_id = $1 AND probing_ms IS NOT NULL AND probed_ms = $4`;
const END = `
UPDATE jobwarden.queue_guards SET probing_ms = NULL, probes_left = 0 WHERE queue_id = $1 AND probing_ms = $2`;
const FORGET = `DELETE FROM jobwarden.rerun_samples WHERE queue_id = $1`;
/** Probes that still run may yet succeed, however long they take. */
const FORGET_FAILED = `
DELETE FROM jobwarden.rerun_samples s USING jobwarden.jobs j WHERE s.queue_id = $1 AND j.job_key = s.job_key AND (${FAILED})`;
/** What probing has held comes up at once, but for rows that somebody is at. */
const WAKE = `
WITH held AS MATERIALIZED (
  SELECT j.ctid AS place FROM jobwarden.jobs j
  WHERE j.queue_id = $1 AND j.held_since_ms IS NOT NULL AND j.held_by = 'probing' ORDER BY j.job_key FOR UPDATE SKIP LOCKED)
UPDATE jobwarden.jobs j SET look_at_ms = least(j.look_at_ms, $2::bigint), row_version = j.row_version + 1
FROM held WHERE j.ctid = held.place`;

interface TallyRow {
  readonly namespace: string;
  readonly queue: string;
  readonly queue_id: number;
  readonly probing_ms: number | null;
  readonly probed_ms: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** Each move is made on what it was judged on: where another replica has moved meanwhile, or more is known of the samples, it changes nothing. */
export class PgProbingStore implements ProbingStore {
  constructor(private readonly database: Database) {}

  async sample(requeued: readonly RequeuedAttempt[], most: number): Promise<void> {
    await this.database.prepared('rerun_sample', SAMPLE, [
      ints(requeued.map((r) => r.queueId)),
      hexes(requeued.map((r) => r.keyHex)),
      ints(requeued.map((r) => r.attempt)),
      most,
    ]);
  }

  async tallies(forgetAfterMs: number): Promise<readonly QueueTally[]> {
    await this.database.prepared('rerun_purge', PURGE, [forgetAfterMs]);
    return await tallies(this.database, null);
  }

  async move(tally: QueueTally, move: Exclude<ProbingMove, null>, at: { readonly nowMs: number; readonly probes: number }): Promise<void> {
    const { queueId } = tally;
    const moved = await this.database.transaction(async (tx) => {
      await tx.query(MAKE, [queueId]);
      await tx.query(LOCK, [queueId]);
      const [now] = await tallies(tx, queueId);
      if (now === undefined || !isSame(now, tally)) return false;
      if (move === 'begin') {
        await tx.query(BEGIN, [queueId, at.nowMs, at.probes]);
      } else if (move === 'again') await tx.query(AGAIN, [queueId, at.nowMs, at.probes, tally.probedMs]);
      else if (move === 'end') await tx.query(END, [queueId, tally.sinceMs]);
      await tx.query(move === 'again' ? FORGET_FAILED : FORGET, [queueId]);
      return true;
    });
    if (!moved) return;
    // Those that wait for probes too: who comes first is looked at first.
    if (move === 'end' || move === 'again') await this.database.query(WAKE, [queueId, at.nowMs]);
  }
}

async function tallies(database: Queryable, queueId: number | null): Promise<readonly QueueTally[]> {
  const rows = await database.prepared<TallyRow>('rerun_tallies', TALLIES, [queueId]);
  return rows.map(({ namespace, queue, queue_id: id, probing_ms: sinceMs, probed_ms: probedMs, failed, succeeded }) => {
    return { queue: { namespace, queue }, queueId: id, sinceMs, probedMs, failed, succeeded };
  });
}

function isSame(a: QueueTally, b: QueueTally): boolean {
  return a.sinceMs === b.sinceMs && a.probedMs === b.probedMs && a.failed === b.failed && a.succeeded === b.succeeded;
}
