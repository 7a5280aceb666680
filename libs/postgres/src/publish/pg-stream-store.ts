import type { MessageKind, StreamHeads, StreamKind, StreamPage, StreamRow, StreamStore } from '#libs/application';
import { ints } from '../arrays.js';
import type { Database } from '../database.js';
import { MAY_ACT } from '../recovery/may-act.js';

const HEADS = `
SELECT i.epoch, p.shard, p.sent, p.pruned
FROM jobwarden.publishers p, jobwarden.installation i ORDER BY p.shard`;

/** As the partial indexes on places have it, word for word. */
const KINDS: Readonly<Record<StreamKind, string>> = {
  commands: `kind IN ('enqueue', 'stop')`,
  invalidations: `kind = 'invalidation'`,
  incidents: `kind IN ('dead-letter', 'incident')`,
};

/**
 * One snapshot: `sent` is as the rows are, so where fewer rows came than were allowed, everything up to it was read. Of
 * each shard at most $2 rows and about $3 bytes; a first message that is larger comes alone.
 */
function readStatement(kind: StreamKind): string {
  return `
SELECT p.shard, p.sent, p.pruned, ${MAY_ACT} AS actions_enabled, o.place, o.kind, o.message, o.deliver_to,
       q.namespace, q.queue
FROM unnest($1::bigint[]) WITH ORDINALITY AS w (after, nth)
JOIN jobwarden.publishers p ON p.shard = w.nth - 1
CROSS JOIN jobwarden.installation i
LEFT JOIN LATERAL (
  SELECT t.* FROM (
    SELECT x.place, x.kind, x.queue_id, x.message, x.deliver_to,
           sum(octet_length(x.message)) OVER (ORDER BY x.place) - octet_length(x.message) AS before
    FROM (SELECT place, kind, queue_id, message, deliver_to FROM jobwarden.outbound
          WHERE shard = p.shard AND place > w.after AND place IS NOT NULL AND ${KINDS[kind]}
          ORDER BY place LIMIT $2) x) t
  WHERE t.before < $3) o ON true
LEFT JOIN jobwarden.queues q ON q.queue_id = o.queue_id
ORDER BY p.shard, o.place`;
}

const READ: Readonly<Record<StreamKind, string>> = {
  commands: readStatement('commands'),
  invalidations: readStatement('invalidations'),
  incidents: readStatement('incidents'),
};

export interface StreamLimits {
  /** Messages of one shard in one page. Default 64. */
  readonly shardRows?: number;
  /** Bytes of one shard in one page; one message is always taken. Default 1 MiB. */
  readonly shardBytes?: number;
}

export class PgStreamStore implements StreamStore {
  private readonly limits: Required<StreamLimits>;

  constructor(
    private readonly database: Database,
    limits: StreamLimits = {},
  ) {
    this.limits = { shardRows: 64, shardBytes: 1_048_576, ...limits };
  }

  async heads(): Promise<StreamHeads> {
    const rows = await this.database.prepared<HeadRow>('stream_heads', HEADS, []);
    return { epoch: rows[0]?.epoch ?? 0, sent: rows.map((r) => r.sent), pruned: rows.map((r) => r.pruned) };
  }

  async read(kind: StreamKind, after: readonly number[]): Promise<StreamPage> {
    const { shardRows, shardBytes } = this.limits;
    const rows = await this.database.prepared<PageRow>(`stream_${kind}`, READ[kind], [
      ints(after),
      shardRows,
      shardBytes,
    ]);
    const shards = [...Map.groupBy(rows, (row) => row.shard).values()];
    return {
      rows: rows.flatMap((row) => streamRow(row) ?? []),
      upTo: shards.map((of) => this.upTo(of)),
      pruned: shards.map((of) => of[0]?.pruned ?? 0),
      actionsEnabled: rows[0]?.actions_enabled ?? false,
    };
  }

  private upTo(rows: readonly PageRow[]): number {
    const bytes = rows.reduce((sum, row) => sum + Buffer.byteLength(row.message ?? ''), 0);
    const cut = rows.length >= this.limits.shardRows || bytes >= this.limits.shardBytes;
    return (cut ? rows.at(-1)?.place : rows[0]?.sent) ?? 0;
  }
}

interface HeadRow {
  readonly epoch: number;
  readonly sent: number;
  readonly pruned: number;
}

/** Without a message: the shard has none after the place asked for. */
interface PageRow {
  readonly shard: number;
  readonly sent: number;
  readonly pruned: number;
  readonly actions_enabled: boolean;
  readonly place: number | null;
  readonly kind: MessageKind | null;
  readonly message: string | null;
  readonly namespace: string | null;
  readonly queue: string | null;
  readonly deliver_to: string | null;
}

function streamRow({ shard, place, kind, message, namespace, queue, deliver_to: deliverTo }: PageRow): StreamRow | null {
  if (place === null || kind === null || message === null) return null;
  return { shard, place, kind, namespace, queue, message, ...(deliverTo !== null && { deliverTo }) };
}
