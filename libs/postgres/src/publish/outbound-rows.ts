import { TerminalError, type OutgoingEntry, type ShardWork } from '#libs/application';
import { FOLD_VERSION } from '#libs/domain';

/** Rows as the statements give them. */
export interface WorkRow {
  readonly shard: number;
  readonly holder: string;
  readonly fence: number;
  readonly checkpoint: number;
  readonly entries: boolean;
  readonly retries: boolean;
}

export interface EntryRow {
  readonly shard: number;
  readonly number: number;
  readonly key: string;
  readonly type: number;
  readonly n: number | null;
  readonly source: string;
  readonly id: string;
  readonly lane_ms: number;
  readonly data: string;
  readonly queue_id: number;
  readonly period: number;
  readonly job_id: string;
  readonly namespace: string;
  readonly queue: string;
  readonly state: string;
  readonly fold_version: number;
}

export interface AttachmentRow {
  readonly payload: string | null;
  readonly progress: string | null;
  readonly shard: number | null;
  readonly number: number | null;
}

export function workOf({ entries, retries, ...lease }: WorkRow): ShardWork {
  return { lease, entries, retries };
}

export function entryOf(row: EntryRow): OutgoingEntry {
  const { shard, number, key, type, n, source, id, data, period, namespace, queue, state } = row;
  return {
    position: { shard, number },
    ref: { namespace, queue, id: row.job_id },
    keyHex: key,
    queueId: row.queue_id,
    period,
    type,
    n,
    source,
    id,
    laneMs: row.lane_ms,
    data,
    state: known(row, state),
  };
}

/** A row that a newer program folded would be misread: its shard waits for a publisher of that version. */
export function known(row: { readonly fold_version: number }, state: string): string {
  if (row.fold_version <= FOLD_VERSION) return state;
  throw new TerminalError(
    'newer_rows',
    `rows were folded by version ${String(row.fold_version)}, this program knows ${String(FOLD_VERSION)}: run the newer Jobwarden`,
  );
}
