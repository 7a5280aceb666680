import type { ShadowCount, ShadowReads, ShadowScope, WrongExample } from '#libs/application';
import type { Action } from '#libs/domain';
import type { Queryable } from '../database.js';

const SCOPE = `
q.namespace = $1 AND ($2::text IS NULL OR q.queue = $2) AND v.first_ms >= (SELECT jobwarden.lane_now()) - $3::bigint
  AND v.kind IN ('would-have', 'act') AND v.action IS NOT NULL`;

/** By queue and time along their index: nobody counts what is older than asked for. */
const COUNTS = `
SELECT q.namespace, q.queue, v.action, v.kind, coalesce(v.level, 'observe') AS level, coalesce(v.decision, '') AS decision,
       v.grade, v.verdict, v.threshold_source, min(v.threshold_ms) AS least_ms, max(v.threshold_ms) AS most_ms, count(*) AS count
FROM jobwarden.verdicts v JOIN jobwarden.queues q ON q.queue_id = v.queue_id
WHERE ${SCOPE}
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY q.queue COLLATE "C", v.action`;

const WRONG_ONES = `
SELECT w.*, coalesce(j.job_id, s.job_id, '') AS job_id
FROM (
  SELECT v.verdict_id, v.job_key, q.namespace, q.queue, v.action, v.kind, v.attempt, v.verdict, v.reason, v.threshold_source,
         v.threshold_ms, v.first_ms, v.graded_ms,
         row_number() OVER (PARTITION BY v.queue_id, v.action ORDER BY v.verdict_id DESC) AS nth
  FROM jobwarden.verdicts v JOIN jobwarden.queues q ON q.queue_id = v.queue_id
  WHERE ${SCOPE} AND v.grade = 'wrong') w
LEFT JOIN jobwarden.jobs j ON j.job_key = w.job_key
LEFT JOIN jobwarden.job_summaries s ON s.job_key = w.job_key
WHERE w.nth <= $4 ORDER BY w.verdict_id DESC`;

export class PgShadowReads implements ShadowReads {
  constructor(private readonly database: Queryable) {}

  async counts({ namespace, queue, sinceMs }: ShadowScope): Promise<readonly ShadowCount[]> {
    const rows = await this.database.query<CountRow>(COUNTS, [namespace, queue ?? null, sinceMs]);
    return rows.map(({ threshold_source: thresholdSource, least_ms: leastMs, most_ms: mostMs, ...rest }) => ({
      ...{ ...rest, thresholdSource, leastMs, mostMs },
    }));
  }

  async wrongOnes({ namespace, queue, sinceMs }: ShadowScope, most: number): Promise<readonly WrongExample[]> {
    const rows = await this.database.query<WrongRow>(WRONG_ONES, [namespace, queue ?? null, sinceMs, most]);
    return rows.map((row) => ({
      id: String(row.verdict_id),
      ref: { namespace: row.namespace, queue: row.queue, id: row.job_id },
      action: row.action,
      kind: row.kind,
      attempt: row.attempt,
      verdict: row.verdict,
      reason: row.reason,
      thresholdSource: row.threshold_source,
      thresholdMs: row.threshold_ms,
      firstMs: row.first_ms,
      gradedMs: row.graded_ms,
    }));
  }
}

interface CountRow extends Omit<ShadowCount, 'thresholdSource' | 'leastMs' | 'mostMs'> {
  readonly threshold_source: string | null;
  readonly least_ms: number | null;
  readonly most_ms: number | null;
}

interface WrongRow {
  readonly verdict_id: number;
  readonly namespace: string;
  readonly queue: string;
  readonly job_id: string;
  readonly action: Action;
  readonly kind: 'would-have' | 'act';
  readonly attempt: number;
  readonly verdict: string | null;
  readonly reason: string;
  readonly threshold_source: string | null;
  readonly threshold_ms: number | null;
  readonly first_ms: number;
  readonly graded_ms: number;
}
