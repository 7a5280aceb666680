import type { HeldRow, LaneRow, Page, PageOf, WorkerReads, WorkerRow } from '#libs/application';
import type { Queryable } from '../database.js';
import { onePast, paged } from './paging.js';

/**
 * Everyone who beat, and everyone whom a job's row names: an emitter without heartbeats has no row of its own. Of a
 * worker that was started again the incarnation that beat last is shown.
 */
const WORKERS = `
WITH named AS (
  SELECT w.worker_id FROM jobwarden.workers w
  WHERE w.namespace = $1 AND ($2::text IS NULL OR w.worker_id COLLATE "C" > $2)
  UNION
  SELECT j.worker FROM jobwarden.jobs j JOIN jobwarden.queues q USING (queue_id)
  WHERE j.worker IS NOT NULL AND q.namespace = $1 AND ($2::text IS NULL OR j.worker COLLATE "C" > $2)),
shown AS (SELECT worker_id FROM named ORDER BY worker_id COLLATE "C" LIMIT $3)
SELECT s.worker_id, w.incarnation, w.revision, w.track, w.beat_ms, w.runtime, w.unknown
FROM shown s LEFT JOIN LATERAL (
  SELECT * FROM jobwarden.workers w WHERE w.namespace = $1 AND w.worker_id = s.worker_id
  ORDER BY w.beat_ms DESC LIMIT 1) AS w ON true
ORDER BY s.worker_id COLLATE "C"`;

/** By the row, and by its leases: a second worker of one attempt is worth seeing. */
const HOLDS = `
WITH held AS (
  SELECT j.job_key, j.worker AS worker_id FROM jobwarden.jobs j JOIN jobwarden.queues q USING (queue_id)
  WHERE j.worker = ANY ($2::text[]) AND q.namespace = $1
  UNION
  SELECT l.job_key, w.worker_id FROM jobwarden.workers w JOIN jobwarden.leases l USING (worker_key)
  JOIN jobwarden.jobs j ON j.job_key = l.job_key AND j.attempt = l.attempt
  WHERE w.namespace = $1 AND w.worker_id = ANY ($2::text[]) AND j.status IN ('processing', 'restart-requested'))
SELECT h.worker_id, q.namespace, q.queue, j.job_id, j.kind, j.attempt, j.state,
       greatest(l.beat_ms, b.beat_ms) AS beat_ms, l.lease_ms
FROM held h JOIN jobwarden.jobs j ON j.job_key = h.job_key JOIN jobwarden.queues q ON q.queue_id = j.queue_id
LEFT JOIN jobwarden.leases l ON l.job_key = j.job_key AND l.attempt = j.attempt
LEFT JOIN jobwarden.workers b ON b.worker_key = l.worker_key
ORDER BY q.queue COLLATE "C", j.job_id COLLATE "C"`;

const LANES = `SELECT lane, name, next, read_ms, gap_end_ms, end_at, stopped, holds FROM jobwarden.lanes ORDER BY lane`;

export class PgWorkerReads implements WorkerReads {
  constructor(private readonly database: Queryable) {}

  async list(namespace: string, page: Page): Promise<PageOf<WorkerRow>> {
    const workers = await this.database.query<StoredWorker>(WORKERS, [namespace, page.after, onePast(page)]);
    const ids = workers.map((w) => w.worker_id);
    const held = ids.length === 0 ? [] : await this.database.query<StoredHeld>(HOLDS, [namespace, ids]);
    const holds = Map.groupBy(held, (row) => row.worker_id);
    return paged(
      workers,
      page,
      (w) => w.worker_id,
      (w) => workerRow(namespace, w, holds.get(w.worker_id) ?? []),
    );
  }

  async lanes(): Promise<readonly LaneRow[]> {
    const rows = await this.database.query<StoredLane>(LANES);
    return rows.map(({ read_ms: readMs, gap_end_ms: gapEndMs, end_at: endAt, ...row }) => ({ ...row, readMs, gapEndMs, endAt }));
  }
}

interface StoredLane {
  readonly lane: number;
  readonly name: string;
  readonly next: number;
  readonly read_ms: number;
  readonly gap_end_ms: number;
  readonly end_at: number | null;
  readonly stopped: string | null;
  readonly holds: boolean;
}

interface StoredWorker {
  readonly worker_id: string;
  readonly incarnation: string | null;
  readonly revision: string | null;
  readonly track: string | null;
  readonly beat_ms: number | null;
  readonly runtime: string | null;
  readonly unknown: string | null;
}

/** An attempt that somebody holds, with what says how long. */
export interface StoredHeld {
  readonly worker_id: string;
  readonly namespace: string;
  readonly queue: string;
  readonly job_id: string;
  readonly kind: string | null;
  readonly attempt: number;
  readonly state: string;
  readonly beat_ms: number | null;
  readonly lease_ms: number | null;
}

function workerRow(namespace: string, worker: StoredWorker, held: readonly StoredHeld[]): WorkerRow {
  const { incarnation, revision, track, runtime, unknown } = worker;
  const holds = held.map(heldRow);
  return {
    namespace,
    id: worker.worker_id,
    incarnation,
    revision,
    track,
    beatMs: worker.beat_ms,
    runtime,
    unknown,
    holds,
  };
}

function heldRow(row: StoredHeld): HeldRow {
  return {
    ref: { namespace: row.namespace, queue: row.queue, id: row.job_id },
    kind: row.kind,
    attempt: row.attempt,
    state: row.state,
    lease: row.beat_ms === null ? null : { beatMs: row.beat_ms, leaseMs: row.lease_ms },
  };
}
