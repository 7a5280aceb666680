import {
  UNRESOLVED_AFTER_MS,
  type Page,
  type PageOf,
  type ReconciliationReads,
  type RunFilter,
  type RunRow,
  type Unresolved,
  type VerdictFilter,
  type VerdictRow,
} from '#libs/application';
import type { Queryable } from '../database.js';
import { keysNamed } from './keys-named.js';
import { Conditions, numberAfter, onePast, paged, rowId } from './paging.js';

const RUN = `
SELECT run_id, lane_ms, trigger, looked, decided,
       would_have, held, rows
FROM jobwarden.reconciliations r`;

const VERDICT = `
SELECT v.verdict_id, q.namespace, q.queue, coalesce(j.job_id, s.job_id) AS job_id, v.attempt, v.kind, v.verdict,
       v.reason, v.action, v.level, v.decision, v.threshold_source, v.threshold_ms, v.worker, v.first_ms, v.last_ms,
       v.times, v.grade, v.graded_ms, v.state, v.refusal, v.approved_by, v.approved_reason, v.approved_ms,
       v.approval_until_ms
FROM jobwarden.verdicts v JOIN jobwarden.queues q ON q.queue_id = v.queue_id
LEFT JOIN jobwarden.jobs j ON j.job_key = v.job_key
LEFT JOIN jobwarden.job_summaries s ON s.job_key = v.job_key`;

/** Held back, or due and not looked at: a reconciler that does not run must not hide it. Two walks along two indexes. */
const UNRESOLVED = `
WITH cut AS MATERIALIZED (SELECT jobwarden.lane_now() AS now_ms, jobwarden.lane_now() - $2::bigint AS ms)
SELECT count(*) AS count, max(cut.now_ms - due.since_ms) AS oldest_ms
FROM cut, jobwarden.queues q CROSS JOIN LATERAL (
  SELECT j.held_since_ms AS since_ms FROM jobwarden.jobs j
  WHERE j.queue_id = q.queue_id AND j.held_since_ms < (SELECT ms FROM cut)
  UNION ALL
  SELECT j.look_at_ms FROM jobwarden.jobs j
  WHERE j.queue_id = q.queue_id AND j.look_at_ms < (SELECT ms FROM cut) AND j.held_since_ms IS NULL) due
WHERE q.namespace = $1`;

/** Runs of the reconciler, and the would-haves and reports that they left. Newest first. */
export class PgReconciliationReads implements ReconciliationReads {
  constructor(private readonly database: Queryable) {}

  async list(filter: RunFilter, page: Page): Promise<PageOf<RunRow>> {
    const { queue, verdict } = filter;
    // Containment: a run fits when one of its rows has all that is asked for.
    const wanted =
      queue === undefined && verdict === undefined ? null : [{ ref: { namespace: filter.namespace, queue }, verdict }];
    const conditions = new Conditions()
      .add('r.run_id < $', numberAfter(page))
      .add('r.rows::jsonb @> $::jsonb', wanted === null ? null : JSON.stringify(wanted));
    const limit = conditions.param(onePast(page));
    const text = `${RUN} ${conditions.where} ORDER BY r.run_id DESC LIMIT ${limit}`;
    const rows = await this.database.query<StoredRun>(text, conditions.values);
    return paged(rows, page, (row) => String(row.run_id), runRow);
  }

  async one(id: string): Promise<RunRow | null> {
    const runId = rowId(id);
    if (runId === null) return null;
    const [row] = await this.database.query<StoredRun>(`${RUN} WHERE r.run_id = $1`, [runId]);
    return row === undefined ? null : runRow(row);
  }

  async unresolved(namespace: string): Promise<Unresolved> {
    const [row] = await this.database.query<{ count: number; oldest_ms: number | null }>(UNRESOLVED, [
      namespace,
      UNRESOLVED_AFTER_MS,
    ]);
    return { count: row?.count ?? 0, oldestMs: row?.oldest_ms ?? null };
  }

  async verdicts(filter: VerdictFilter, page: Page): Promise<PageOf<VerdictRow>> {
    const conditions = new Conditions()
      .add('q.namespace = $', filter.namespace)
      .add('q.queue = $', filter.queue)
      .add('v.job_key = ANY ($::bytea[])', await keysNamed(this.database, filter))
      .add('v.verdict = $', filter.verdict)
      .add('v.grade = $', filter.grade)
      .add('v.kind = $', filter.kind)
      .add('v.action = $', filter.action)
      .add('v.state = $', filter.state)
      .add('v.verdict_id < $', numberAfter(page));
    const text = `${VERDICT} ${conditions.where} ORDER BY v.verdict_id DESC LIMIT ${conditions.param(onePast(page))}`;
    const rows = await this.database.query<StoredVerdict>(text, conditions.values);
    return paged(rows, page, (row) => String(row.verdict_id), verdictRow);
  }
}

interface StoredRun {
  readonly run_id: number;
  readonly lane_ms: number;
  readonly trigger: string;
  readonly looked: number;
  readonly decided: number;
  readonly would_have: number;
  readonly held: number;
  readonly rows: string;
}

interface StoredVerdict {
  readonly verdict_id: number;
  readonly namespace: string;
  readonly queue: string;
  readonly job_id: string | null;
  readonly attempt: number;
  readonly kind: string;
  readonly verdict: string | null;
  readonly reason: string;
  readonly action: string | null;
  readonly level: string | null;
  readonly decision: string | null;
  readonly threshold_source: string | null;
  readonly threshold_ms: number | null;
  readonly worker: string | null;
  readonly first_ms: number;
  readonly last_ms: number;
  readonly times: number;
  readonly grade: string;
  readonly graded_ms: number | null;
  readonly state: string;
  readonly refusal: string | null;
  readonly approved_by: string | null;
  readonly approved_reason: string | null;
  readonly approved_ms: number | null;
  readonly approval_until_ms: number | null;
}

function runRow(row: StoredRun): RunRow {
  const { trigger, looked, decided, held } = row;
  const rows = JSON.parse(row.rows) as RunRow['rows'];
  const id = String(row.run_id);
  return {
    id,
    laneMs: row.lane_ms,
    trigger,
    looked,
    decided,
    wouldHave: row.would_have,
    held,
    rows,
  };
}

function verdictRow(row: StoredVerdict): VerdictRow {
  const { attempt, kind, verdict, reason, action, level, decision, worker, times, grade } = row;
  return {
    id: String(row.verdict_id),
    ref: { namespace: row.namespace, queue: row.queue, id: row.job_id ?? '' },
    attempt,
    kind,
    verdict,
    reason,
    action,
    level,
    decision,
    thresholdSource: row.threshold_source,
    thresholdMs: row.threshold_ms,
    worker,
    firstMs: row.first_ms,
    lastMs: row.last_ms,
    times,
    grade,
    gradedMs: row.graded_ms,
    state: row.state,
    refusal: row.refusal,
    approval: approvalOf(row),
  };
}

function approvalOf(row: StoredVerdict): VerdictRow['approval'] {
  const { approved_by: by, approved_reason: reason, approved_ms: atMs, approval_until_ms: untilMs } = row;
  return by === null || reason === null || atMs === null || untilMs === null ? null : { by, reason, atMs, untilMs };
}
