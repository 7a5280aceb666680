import type { Page, PageOf, QuarantineFilter, QuarantineReads, QuarantineRow } from '#libs/application';
import type { Queryable } from '../database.js';
import { Conditions, numberAfter, onePast, paged, rowId } from './paging.js';

function entry(bytes: string): string {
  return `
SELECT e.quarantine_id, (extract(epoch FROM e.received_at) * 1000)::bigint AS received_ms, l.name AS lane, e.origin,
       e.reason, e.detail, e.namespace, e.queue, e.job_id, e.content_type, length(e.bytes) AS size, ${bytes} AS bytes,
       e.outcome, e.closed_by, e.closed_reason, (extract(epoch FROM e.closed_at) * 1000)::bigint AS closed_ms
FROM jobwarden.quarantine e LEFT JOIN jobwarden.lanes l ON l.lane = e.lane`;
}

/** What could not be stored as sent. */
export class PgQuarantineReads implements QuarantineReads {
  constructor(private readonly database: Queryable) {}

  async list(filter: QuarantineFilter, page: Page): Promise<PageOf<QuarantineRow>> {
    const conditions = new Conditions();
    const preview = conditions.param(filter.previewBytes);
    conditions
      .add('e.namespace = ANY ($::text[])', filter.namespaces === 'all' ? null : filter.namespaces)
      .add('e.queue = $', filter.queue)
      .add('e.outcome = $', filter.state)
      .add('e.reason = $', filter.reason)
      .add('e.quarantine_id < $', numberAfter(page));
    const limit = conditions.param(onePast(page));
    const select = entry(`substring(e.bytes FROM 1 FOR ${preview}::integer)`);
    const text = `${select} ${conditions.where} ORDER BY e.quarantine_id DESC LIMIT ${limit}`;
    const rows = await this.database.query<StoredEntry>(text, conditions.values);
    return paged(rows, page, (row) => String(row.quarantine_id), quarantineRow);
  }

  async one(id: string): Promise<QuarantineRow | null> {
    const entryId = rowId(id);
    if (entryId === null) return null;
    const [row] = await this.database.query<StoredEntry>(`${entry('e.bytes')} WHERE e.quarantine_id = $1`, [entryId]);
    return row === undefined ? null : quarantineRow(row);
  }
}

interface StoredEntry {
  readonly quarantine_id: number;
  readonly received_ms: number;
  readonly lane: string | null;
  readonly origin: string;
  readonly reason: string;
  readonly detail: string;
  readonly namespace: string | null;
  readonly queue: string | null;
  readonly job_id: string | null;
  readonly content_type: string;
  readonly size: number;
  readonly bytes: Buffer;
  readonly outcome: string;
  readonly closed_by: string | null;
  readonly closed_reason: string | null;
  readonly closed_ms: number | null;
}

function quarantineRow(row: StoredEntry): QuarantineRow {
  const { origin, reason, detail, namespace, queue, size, bytes } = row;
  return {
    id: String(row.quarantine_id),
    receivedMs: row.received_ms,
    lane: row.lane ?? 'unknown',
    origin,
    reason,
    detail,
    namespace,
    queue,
    jobId: row.job_id,
    contentType: row.content_type,
    size,
    bytes,
    state: row.outcome,
    closedBy: row.closed_by,
    closedReason: row.closed_reason,
    closedMs: row.closed_ms,
  };
}
