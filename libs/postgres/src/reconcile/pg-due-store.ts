import type { DueJob, DueStore, JobRefScope } from '#libs/application';
import type { Database } from '../database.js';

/**
 * Walks the queues that have anything scheduled by jumps along the index (one probe a queue), then reads a few due jobs
 * of each: a queue with a million due jobs delays the others by its share of a look, not by its backlog.
 */
const DUE = `
WITH RECURSIVE scheduled AS (
  (SELECT queue_id FROM jobwarden.jobs WHERE look_at_ms IS NOT NULL ORDER BY queue_id LIMIT 1)
  UNION ALL
  SELECT (SELECT j.queue_id FROM jobwarden.jobs j
          WHERE j.look_at_ms IS NOT NULL AND j.queue_id > s.queue_id ORDER BY j.queue_id LIMIT 1)
  FROM scheduled s WHERE s.queue_id IS NOT NULL)
SELECT encode(d.job_key, 'hex') AS key, d.job_id, d.look_at_ms, q.namespace, q.queue
FROM scheduled s
JOIN jobwarden.queues q ON q.queue_id = s.queue_id
CROSS JOIN LATERAL (
  SELECT j.job_key, j.job_id, j.look_at_ms FROM jobwarden.jobs j
  WHERE j.queue_id = s.queue_id AND j.look_at_ms <= $1 ORDER BY j.look_at_ms LIMIT $2) d
WHERE ($4::text IS NULL OR (q.namespace = $4 AND q.queue = $5))
LIMIT $3`;

const NEXT_DUE = `
SELECT coalesce(waits_for, 'decision') AS waits_for, min(look_at_ms) AS look_at_ms, count(*) AS jobs
FROM jobwarden.jobs WHERE look_at_ms IS NOT NULL GROUP BY 1 ORDER BY 2`;

interface DueRow {
  readonly key: string;
  readonly job_id: string;
  readonly look_at_ms: number;
  readonly namespace: string;
  readonly queue: string;
}

export class PgDueStore implements DueStore {
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
    ]);
    return rows.map((r) => ({
      ref: { namespace: r.namespace, queue: r.queue, id: r.job_id },
      keyHex: r.key,
      lookAtMs: r.look_at_ms,
    }));
  }

  async nextDue(): Promise<readonly { readonly waitsFor: string; readonly lookAtMs: number; readonly jobs: number }[]> {
    const rows = await this.database.query<{ waits_for: string; look_at_ms: number; jobs: number }>(NEXT_DUE);
    return rows.map((r) => ({ waitsFor: r.waits_for, lookAtMs: r.look_at_ms, jobs: r.jobs }));
  }
}
