import type { LearnedStore, QueueRunTimes, RunTimePage, UnfinishedPage, UnfinishedRequest } from '#libs/application';
import { texts } from '../arrays.js';
import type { Queryable } from '../database.js';

/** Whole queues at a time, of all shards together; kinds beyond the largest ones only take part in their queue's sums. */
const RUN_TIMES = `
WITH page AS (
  SELECT queue_id, namespace, queue FROM jobwarden.queues WHERE queue_id > $1 ORDER BY queue_id LIMIT $2),
cells AS (
  SELECT r.queue_id, r.kind, r.bucket, sum(r.count)::bigint AS count
  FROM jobwarden.run_times r JOIN page USING (queue_id) GROUP BY r.queue_id, r.kind, r.bucket),
largest AS (
  SELECT queue_id, kind, row_number() OVER (PARTITION BY queue_id ORDER BY sum(count) DESC, kind) AS place
  FROM cells WHERE kind <> '' GROUP BY queue_id, kind)
SELECT p.queue_id, p.namespace, p.queue, c.kind, c.bucket, c.count
FROM page p LEFT JOIN (
  SELECT queue_id, NULL AS kind, bucket, sum(count)::bigint AS count FROM cells GROUP BY queue_id, bucket
  UNION ALL
  SELECT queue_id, kind, bucket, count FROM cells JOIN largest USING (queue_id, kind) WHERE place <= $3) c USING (queue_id)
ORDER BY p.queue_id`;

/** Along the index of what is due, so that it costs what waits there and not what there is. */
const WAITING = `
SELECT encode(j.job_key, 'hex') AS key, j.job_id, q.namespace, q.queue, j.look_at_ms, j.waits_for
FROM jobwarden.jobs j JOIN jobwarden.queues q USING (queue_id)
WHERE j.queue_id = ANY (SELECT n.queue_id FROM jobwarden.queues n
                        WHERE (n.namespace, n.queue) IN (SELECT * FROM unnest($1::text[], $2::text[])))
  AND j.waits_for = 'stuck-after' AND j.look_at_ms >= $3 AND (j.look_at_ms, j.job_key) > ($3, $4::bytea)
ORDER BY j.look_at_ms, j.job_key LIMIT $5`;

export class PgLearnedStore implements LearnedStore {
  constructor(private readonly database: Queryable) {}

  async runTimes(request: { readonly after: number; readonly limit: number; readonly kinds: number }): Promise<RunTimePage> {
    const rows = await this.database.query<RunTimeRow>(RUN_TIMES, [request.after, request.limit, request.kinds]);
    const queues = new Map<number, Building>();
    for (const row of rows) {
      let queue = queues.get(row.queue_id);
      if (queue === undefined) queues.set(row.queue_id, (queue = emptyQueue(row)));
      if (row.bucket !== null && row.count !== null) countsOf(queue, row.kind).set(row.bucket, row.count);
    }
    const last = rows.at(-1)?.queue_id;
    return { queues: [...queues.values()], next: last === undefined || queues.size < request.limit ? null : last };
  }

  async unfinished({ queues, after, limit }: UnfinishedRequest): Promise<UnfinishedPage> {
    if (queues === 'all') throw new Error('only the jobs of named queues are listed by when they are due');
    const [lookAtMs = '0', key = ''] = (after ?? '').split(':');
    const rows = await this.database.query<WaitingRow>(WAITING, [
      texts(queues.map((q) => q.namespace)),
      texts(queues.map((q) => q.queue)),
      Number(lookAtMs),
      Buffer.from(key, 'hex'),
      limit,
    ]);
    const last = rows.at(-1);
    return {
      rows: rows.map((r) => ({
        ref: { namespace: r.namespace, queue: r.queue, id: r.job_id },
        ...{ keyHex: r.key, lookAtMs: r.look_at_ms, waitsFor: r.waits_for, reported: false },
      })),
      next: last === undefined || rows.length < limit ? null : `${String(last.look_at_ms)}:${last.key}`,
    };
  }
}

interface RunTimeRow {
  readonly queue_id: number;
  readonly namespace: string;
  readonly queue: string;
  /** null: of all kinds. */
  readonly kind: string | null;
  readonly bucket: number | null;
  readonly count: number | null;
}

interface WaitingRow {
  readonly key: string;
  readonly job_id: string;
  readonly namespace: string;
  readonly queue: string;
  readonly look_at_ms: number;
  readonly waits_for: string;
}

interface Building extends QueueRunTimes {
  readonly all: Map<number, number>;
  readonly kinds: Map<string, Map<number, number>>;
}

function emptyQueue({ namespace, queue }: RunTimeRow): Building {
  return { namespace, queue, all: new Map(), kinds: new Map() };
}

function countsOf({ all, kinds }: Building, kind: string | null): Map<number, number> {
  if (kind === null) return all;
  let counts = kinds.get(kind);
  if (counts === undefined) kinds.set(kind, (counts = new Map<number, number>()));
  return counts;
}
