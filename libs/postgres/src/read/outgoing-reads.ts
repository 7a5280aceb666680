import type { InvalidationRow, OutgoingReads, Page, PageOf } from '#libs/application';
import type { Queryable } from '../database.js';
import { invalidCursor } from './paging.js';

/**
 * Of each shard its newest: numbers of two shards are never compared, so a cursor is a number per shard, and the page is
 * what is newest among the shards' pages by lane time.
 */
const INVALIDATIONS = `
SELECT o.shard, o.number, o.outcome, o.lane_ms, (extract(epoch FROM o.sent_at) * 1000)::bigint AS sent_ms, o.message,
       o.namespace, o.queue, o.subject
FROM jobwarden.shards s
LEFT JOIN unnest($3::smallint[], $4::bigint[]) AS seen (shard, number) ON seen.shard = s.shard
CROSS JOIN LATERAL (
  SELECT x.*, q.namespace, q.queue, x.message::json ->> 'subject' AS subject
  FROM jobwarden.outbound x JOIN jobwarden.queues q ON q.queue_id = x.queue_id
  WHERE x.shard = s.shard AND x.kind = 'invalidation' AND (seen.number IS NULL OR x.number < seen.number)
    AND q.namespace = $1 AND ($2::text IS NULL OR q.queue = $2)
  ORDER BY x.number DESC LIMIT $5) AS o
ORDER BY o.lane_ms DESC, o.shard, o.number DESC LIMIT $5`;

export class PgOutgoingReads implements OutgoingReads {
  constructor(private readonly database: Queryable) {}

  async invalidations(scope: { namespace: string; queue?: string }, page: Page): Promise<PageOf<InvalidationRow>> {
    const seen = seenOf(page.after);
    const rows = await this.database.query<StoredMessage>(INVALIDATIONS, [
      scope.namespace,
      scope.queue ?? null,
      [...seen.keys()],
      [...seen.values()],
      page.limit + 1,
    ]);
    const shown = rows.slice(0, page.limit);
    for (const row of shown) seen.set(row.shard, row.number);
    return { items: shown.map(invalidationRow), next: rows.length > page.limit ? JSON.stringify([...seen]) : null };
  }
}

interface StoredMessage {
  readonly shard: number;
  readonly number: number;
  readonly outcome: string;
  readonly lane_ms: number;
  readonly sent_ms: number;
  readonly message: string;
  readonly namespace: string;
  readonly queue: string;
  readonly subject: string | null;
}

function seenOf(after: string | null): Map<number, number> {
  if (after === null) return new Map();
  if (!/^\[(?:\[\d{1,4},\d{1,15}\],?)*\]$/.test(after)) throw invalidCursor();
  return new Map(JSON.parse(after) as [number, number][]);
}

function invalidationRow(row: StoredMessage): InvalidationRow {
  return {
    position: { shard: row.shard, number: row.number },
    ref: { namespace: row.namespace, queue: row.queue, id: row.subject ?? '' },
    outcome: row.outcome,
    laneMs: row.lane_ms,
    sentMs: row.sent_ms,
    message: row.message,
  };
}
