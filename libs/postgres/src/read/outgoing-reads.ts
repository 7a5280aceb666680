import type { InvalidationRow, OutgoingReads, Page, PageOf } from '#libs/application';
import type { Queryable } from '../database.js';
import { keysNamed } from './keys-named.js';
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

/** Each stands under the number of the event that it comes from: the job's own stream leads to them. */
const INVALIDATIONS_OF_JOBS = `
SELECT o.shard, o.number, o.outcome, o.lane_ms, (extract(epoch FROM o.sent_at) * 1000)::bigint AS sent_ms, o.message,
       q.namespace, q.queue, j.job_id AS subject
FROM jobwarden.jobs j JOIN jobwarden.queues q ON q.queue_id = j.queue_id
JOIN jobwarden.events e ON e.job_key = j.job_key AND e.period = j.period
JOIN jobwarden.outbound o ON o.shard = e.shard AND o.number = e.number AND o.kind = 'invalidation'
LEFT JOIN unnest($2::smallint[], $3::bigint[]) AS seen (shard, number) ON seen.shard = o.shard
WHERE j.job_key = ANY ($1::bytea[]) AND (seen.number IS NULL OR o.number < seen.number)
ORDER BY o.lane_ms DESC, o.shard, o.number DESC LIMIT $4`;

export class PgOutgoingReads implements OutgoingReads {
  constructor(private readonly database: Queryable) {}

  async invalidations(scope: Parameters<OutgoingReads['invalidations']>[0], page: Page): Promise<PageOf<InvalidationRow>> {
    const seen = seenOf(page.after);
    const beyond = [[...seen.keys()], [...seen.values()], page.limit + 1];
    const keys = await keysNamed(this.database, scope);
    const rows =
      keys === null
        ? await this.database.query<StoredMessage>(INVALIDATIONS, [scope.namespace, scope.queue ?? null, ...beyond])
        : await this.database.query<StoredMessage>(INVALIDATIONS_OF_JOBS, [keys, ...beyond]);
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
