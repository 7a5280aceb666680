import {
  UNRESOLVED_AFTER_MS,
  type NativeQueueRow,
  type Page,
  type PageOf,
  type QueueDepth,
  type QueueReads,
  type QueueRow,
  type BlackoutEvidence,
  type RecoveryFigures,
  type RecoveryRow,
} from '#libs/application';
import { JOB_STATUSES, type JobStatus } from '#libs/domain';
import type { Queryable } from '../database.js';
import { onePast, paged } from './paging.js';
import * as sql from './queue-statements.js';

/** Queues from their maintained counters: what a report costs does not depend on how many jobs there are. */
export class PgQueueReads implements QueueReads {
  constructor(private readonly database: Queryable) {}

  async list(namespace: string, page: Page): Promise<PageOf<QueueRow>> {
    const rows = await this.database.query<StoredQueue>(sql.QUEUE_PAGE, [namespace, page.after, onePast(page)]);
    return paged(rows, page, (row) => row.queue, queueRow);
  }

  async one(namespace: string, queue: string): Promise<QueueRow | null> {
    const [row] = await this.database.query<StoredQueue>(sql.ONE_QUEUE, [namespace, queue]);
    return row === undefined ? null : queueRow(row);
  }

  async namespaces(limit: number): Promise<readonly string[]> {
    const rows = await this.database.query<{ namespace: string }>(sql.NAMESPACES, [limit]);
    return rows.map(({ namespace }) => namespace);
  }

  async oldestXminAgeMs(): Promise<number | null> {
    const [row] = await this.database.query<{ age_ms: number | null }>(sql.OLDEST_XMIN);
    return row?.age_ms ?? null;
  }

  async deadRows(): Promise<readonly { readonly table: string; readonly ratio: number }[]> {
    return await this.database.query<{ table: string; ratio: number }>(sql.DEAD_ROWS);
  }

  async recovery(): Promise<RecoveryFigures> {
    const [jobs, queues] = await Promise.all([
      this.database.query<RecoveryFigures['jobs'][number]>(sql.HELD_JOBS),
      this.database.query<RecoveryFigures['queues'][number]>(sql.HELD_QUEUES),
    ]);
    return { jobs, queues };
  }

  async exported(replicaId: string): Promise<readonly QueueDepth[] | null> {
    const [exporter] = await this.database.query<{ mine: boolean }>(sql.IS_EXPORTER, [replicaId]);
    if (exporter?.mine !== true) return null;
    const rows = await this.database.query<StoredDepth>(sql.DEPTHS, [UNRESOLVED_AFTER_MS]);
    return rows.map((row) => ({
      namespace: row.namespace,
      queue: row.queue,
      waiting: row.waiting,
      oldestWaitingMs: oldestWaitingOf(row),
      oldestUnresolvedMs: row.unresolved_ms,
    }));
  }
}

interface StoredQueue extends Readonly<Record<`c_${string}`, number | null>> {
  readonly namespace: string;
  readonly queue: string;
  readonly suspected: number;
  readonly oldest_ms: number | null;
  readonly run_times: readonly { readonly bucket: number; readonly count: number }[] | null;
  readonly native: NativeQueueRow | null;
  readonly blackout_ms: number | null;
  readonly probing_ms: number | null;
  /** JSON. */
  readonly evidence: string | null;
  readonly now_ms: number;
}

interface StoredDepth {
  readonly namespace: string;
  readonly queue: string;
  readonly waiting: number | null;
  readonly waiting_ms: number | null;
  readonly unresolved_ms: number | null;
}

/** Nobody waits where none does; where it is unknown how many do, so is since when. */
function oldestWaitingOf({ waiting, waiting_ms }: StoredDepth): number | null {
  if (waiting === null || waiting === 0) return waiting;
  return waiting_ms === null ? null : Math.max(0, waiting_ms);
}

function queueRow(row: StoredQueue): QueueRow {
  const byStatus = Object.fromEntries(
    JOB_STATUSES.map((status) => [status, row[`c_${status.replaceAll('-', '_')}`] ?? 0]),
  ) as Record<JobStatus, number>;
  return {
    namespace: row.namespace,
    queue: row.queue,
    byStatus,
    attemptsSucceeded: row['c_attempts_succeeded'] ?? 0,
    attemptsFailed: row['c_attempts_failed'] ?? 0,
    attemptsLost: row['c_attempts_lost'] ?? 0,
    suspected: row.suspected,
    oldestSinceMs: row.oldest_ms,
    runTimes: new Map((row.run_times ?? []).map(({ bucket, count }) => [bucket, count])),
    native: row.native,
    recovery: recoveryOf(row),
    nowMs: row.now_ms,
  };
}

/** A blackout holds more than probing does. */
function recoveryOf({ blackout_ms, probing_ms, evidence }: StoredQueue): RecoveryRow | null {
  if (blackout_ms === null) return probing_ms === null ? null : { heldBy: 'probing', sinceMs: probing_ms, evidence: null };
  return { heldBy: 'blackout', sinceMs: blackout_ms, evidence: evidence === null ? null : (JSON.parse(evidence) as BlackoutEvidence) };
}
