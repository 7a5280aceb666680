import type { DueJob, DueStore, JobRefScope } from '#libs/application';
import type { Database } from '../database.js';

/**
 * Walks the queues that have anything scheduled by jumps along the index (one probe a queue), then reads a few due jobs
 * of each: a queue with a million due jobs delays the others by its share of a look, not by its backlog. Where a look is
 * full before all queues had their turn, the next one begins with the next queue: jobs that are held come again all the
 * time, and those of a few queues would keep everybody else from ever being looked at.
 */
const DUE = `
WITH RECURSIVE scheduled AS (
  (SELECT queue_id FROM jobwarden.jobs WHERE look_at_ms IS NOT NULL ORDER BY queue_id LIMIT 1)
  UNION ALL
  SELECT (SELECT j.queue_id FROM jobwarden.jobs j
          WHERE j.look_at_ms IS NOT NULL AND j.queue_id > s.queue_id ORDER BY j.queue_id LIMIT 1)
  FROM scheduled s WHERE s.queue_id IS NOT NULL)
SELECT encode(d.job_key, 'hex') AS key, d.job_id, d.look_at_ms, d.waits_for, d.queue_id, q.namespace, q.queue
FROM (
  SELECT s.queue_id, j.job_key, j.job_id, j.look_at_ms, j.waits_for
  FROM (SELECT queue_id FROM scheduled WHERE queue_id IS NOT NULL ORDER BY queue_id <= $6, queue_id) s
  CROSS JOIN LATERAL (
    SELECT job_key, job_id, look_at_ms, waits_for FROM jobwarden.jobs
    WHERE queue_id = s.queue_id AND look_at_ms <= $1 ORDER BY look_at_ms LIMIT $2) j
  WHERE $4::text IS NULL
     OR s.queue_id = (SELECT n.queue_id FROM jobwarden.queues n WHERE n.namespace = $4 AND n.queue = $5)
  LIMIT $3) d
JOIN jobwarden.queues q ON q.queue_id = d.queue_id`;

const NEXT_DUE = `
SELECT coalesce(waits_for, 'decision') AS waits_for, min(look_at_ms) AS look_at_ms, count(*) AS jobs
FROM jobwarden.jobs WHERE look_at_ms IS NOT NULL GROUP BY 1 ORDER BY 2`;

interface DueRow {
  readonly key: string;
  readonly job_id: string;
  readonly look_at_ms: number;
  readonly waits_for: string | null;
  readonly queue_id: number;
  readonly namespace: string;
  readonly queue: string;
}

export class PgDueStore implements DueStore {
  /** The queue whose turn the last full look ended with. */
  private turn = 0;

  constructor(private readonly database: Database) {}

  async due(options: {
    readonly nowMs: number;
    readonly perQueue: number;
    readonly limit: number;
    readonly queue?: JobRefScope;
  }): Promise<readonly DueJob[]> {
    const rows = await this.database.prepared<DueRow>('due', DUE, [
      options.nowMs,
      options.perQueue,
      options.limit,
      options.queue?.namespace ?? null,
      options.queue?.queue ?? null,
      this.turn,
    ]);
    if (options.queue === undefined) this.turn = rows.length < options.limit ? 0 : lastTurn(rows, this.turn);
    return rows.map((r) => ({
      ref: { namespace: r.namespace, queue: r.queue, id: r.job_id },
      keyHex: r.key,
      lookAtMs: r.look_at_ms,
      waitsFor: r.waits_for,
    }));
  }

  async nextDue(): Promise<readonly { readonly waitsFor: string; readonly lookAtMs: number; readonly jobs: number }[]> {
    const rows = await this.database.query<{ waits_for: string; look_at_ms: number; jobs: number }>(NEXT_DUE);
    return rows.map((r) => ({ waitsFor: r.waits_for, lookAtMs: r.look_at_ms, jobs: r.jobs }));
  }
}

/** The queue that came last when they are walked from `turn` on, and from the first one after the last. */
function lastTurn(rows: readonly DueRow[], turn: number): number {
  const ids = rows.map((r) => r.queue_id);
  const wrapped = ids.filter((id) => id <= turn);
  return Math.max(...(wrapped.length > 0 ? wrapped : ids));
}
