import type { AuditedRow, KeyRange, SliceSink } from '#libs/application';
import type { Connection } from '../database.js';
import * as sql from './statements.js';

interface RowOfJobs {
  readonly key: string;
  readonly queue_id: number;
  readonly shard: number;
  readonly period: number;
  readonly job_id: string;
  readonly namespace: string;
  readonly queue: string;
  readonly kind: string | null;
  readonly status: string;
  readonly attempt: number;
  readonly n: number;
  readonly row_version: number;
  readonly fold_version: number;
  readonly since_ms: number;
  readonly worker: string | null;
  readonly state: string;
}

interface RowOfEvents {
  readonly key: string;
  readonly event_key: string;
  readonly period: number;
  readonly shard: number;
  readonly type: number;
  readonly n: number | null;
  readonly source: string;
  readonly id: string;
  readonly lane_ms: number;
  readonly data: string;
}

const EVENTS_PER_PAGE = 2_000;
const BEFORE_ALL = Buffer.alloc(0);
/** Longer than any event key: behind all of a job's entries. */
const BEHIND_JOB = Buffer.alloc(32, 0xff);
const LEAST_PERIOD = -2_147_483_648;
const LAST_PERIOD = 2_147_483_647;

/** Rows, then their log, in the transaction of `tx`; answers the last key, null when the range is at its end. */
export async function readSlice(
  tx: Connection,
  range: KeyRange,
  sink: SliceSink,
  locked: boolean,
): Promise<string | null> {
  const lock = locked ? sql.FOR_UPDATE : '';
  if ('only' in range) {
    const key = Buffer.from(range.only, 'hex');
    for (const row of await tx.query<RowOfJobs>(sql.ROW_ONLY + lock, [key])) sink.row(auditedRow(row));
    await readEvents(tx, { from: [key, BEFORE_ALL, LEAST_PERIOD], upTo: key }, sink);
    return null;
  }
  const after = range.after === null ? BEFORE_ALL : Buffer.from(range.after, 'hex');
  const rows = await tx.query<RowOfJobs>(sql.ROWS_AFTER + lock, [after, range.limit]);
  for (const row of rows) sink.row(auditedRow(row));
  const last = rows.length < range.limit ? null : (rows.at(-1)?.key ?? null);
  const upTo = last === null ? null : Buffer.from(last, 'hex');
  await readEvents(tx, { from: [after, BEHIND_JOB, LAST_PERIOD], upTo }, sink);
  return last;
}

type Place = readonly [jobKey: Buffer, eventKey: Buffer, period: number];

async function readEvents(
  tx: Connection,
  { from, upTo }: { readonly from: Place; readonly upTo: Buffer | null },
  sink: SliceSink,
): Promise<void> {
  let place = from;
  for (;;) {
    const rows = await tx.query<RowOfEvents>(sql.EVENTS, [...place, upTo, EVENTS_PER_PAGE]);
    for (const { key, type, n, source, id, lane_ms: laneMs, data, shard, period } of rows) {
      sink.event(key, { type, n, source, id, laneMs, data, shard, period });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < EVENTS_PER_PAGE) return;
    place = [Buffer.from(last.key, 'hex'), Buffer.from(last.event_key, 'hex'), last.period];
  }
}

function auditedRow(row: RowOfJobs): AuditedRow {
  return {
    keyHex: row.key,
    ref: { namespace: row.namespace, queue: row.queue, id: row.job_id },
    queueId: row.queue_id,
    shard: row.shard,
    period: row.period,
    kind: row.kind,
    status: row.status,
    attempt: row.attempt,
    n: row.n,
    version: row.row_version,
    foldVersion: row.fold_version,
    sinceMs: row.since_ms,
    worker: row.worker,
    state: row.state,
  };
}
