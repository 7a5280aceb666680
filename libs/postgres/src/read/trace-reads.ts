import type { IncompleteBecause, IncompleteRow, IncompleteScope, Page, PageOf, TraceReads } from '#libs/application';
import type { JobStatus } from '#libs/domain';
import type { Queryable } from '../database.js';
import { invalidCursor, onePast, paged } from './paging.js';
import { QUEUES } from './job-statements.js';
import { INCOMPLETE } from './trace-statements.js';

/** Reports about traces. */
export class PgTraceReads implements TraceReads {
  constructor(private readonly database: Queryable) {}

  async incomplete({ namespace, queue, sinceMs, startByMs }: IncompleteScope, page: Page): Promise<PageOf<IncompleteRow>> {
    const after = behind(page);
    const [now] = await this.database.query<{ now_ms: number }>('SELECT jobwarden.lane_now() AS now_ms', []);
    const queues = await this.database.query<Queue>(QUEUES, [namespace, queue ?? null]);
    if (queues.length === 0) return { items: [], next: null };
    const rows = await this.database.query<Stored>(INCOMPLETE, [
      queues.map(({ queue_id }) => queue_id),
      queues.map((one) => (now?.now_ms ?? 0) - startByMs({ namespace: one.namespace, queue: one.queue })),
      sinceMs ?? null,
      ...[after.queueId, after.sinceMs, after.key],
      onePast(page),
    ]);
    return paged(rows, page, (row) => `${String(row.queue_id)}.${String(row.since_ms)}.${row.key}`, incompleteRow);
  }
}

interface Queue {
  readonly queue_id: number;
  readonly namespace: string;
  readonly queue: string;
}

interface Stored {
  readonly key: string;
  readonly queue_id: number;
  readonly namespace: string;
  readonly queue: string;
  readonly job_id: string;
  readonly kind: string | null;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly because: IncompleteBecause;
  readonly waits_for: string | null;
  readonly held_by: string | null;
  readonly since_ms: number;
  readonly state: string;
  readonly now_ms: number;
  readonly leases: readonly { readonly attempt: number; readonly beat_ms: number; readonly lease_ms: number | null }[] | null;
}

function incompleteRow(row: Stored): IncompleteRow {
  const { namespace, queue, job_id: id, kind, status, attempt, because, state } = row;
  return {
    ...{ ref: { namespace, queue, id }, kind, status, attempt, because, state },
    ...{ waitsFor: row.waits_for, heldBy: row.held_by, sinceMs: row.since_ms, nowMs: row.now_ms },
    leases: new Map((row.leases ?? []).map((lease) => [lease.attempt, { beatMs: lease.beat_ms, leaseMs: lease.lease_ms }])),
  };
}

function behind({ after }: Page): { readonly queueId: number; readonly sinceMs: number; readonly key: Buffer } {
  if (after === null) return { queueId: 0, sinceMs: -1, key: Buffer.alloc(0) };
  const [, queueId, sinceMs, key] = /^(\d{1,9})\.(\d{1,16})\.([0-9a-f]{32})$/u.exec(after) ?? [];
  if (queueId === undefined || sinceMs === undefined || key === undefined) throw invalidCursor();
  return { queueId: Number(queueId), sinceMs: Number(sinceMs), key: Buffer.from(key, 'hex') };
}
