import { TerminalError, type OutgoingEntry, type OutgoingStep, type ShardWork } from '#libs/application';
import { knowsFoldVersion, unknownFold } from '#libs/domain';
import { stepOf, type StepRow, type StoredRow } from '../incidents/rows.js';

/** Rows as the statements give them. */
export interface WorkRow {
  readonly shard: number;
  readonly holder: string;
  readonly fence: number;
  readonly checkpoint: number;
  readonly incident_checkpoint: number;
  readonly entries: boolean;
  readonly retries: boolean;
  readonly incidents: boolean;
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
  readonly cuts: string | null;
}

export interface AttachmentRow {
  readonly payload: string | null;
  readonly progress: string | null;
  readonly shard: number | null;
  readonly number: number | null;
}

export function workOf({ entries, retries, incidents, incident_checkpoint, ...lease }: WorkRow): ShardWork {
  return { lease: { ...lease, incidentCheckpoint: incident_checkpoint }, entries, retries, incidents };
}

export interface OutgoingStepRow extends StepRow, Omit<StoredRow, 'id' | 'status' | 'resolved_ms'> {
  readonly shard: number;
  readonly number: number;
  readonly incident_id: number;
}

export function outgoingStepOf(row: OutgoingStepRow): OutgoingStep {
  const { shard, number, incident_id, kind, subject, summary, queue_id: queueId, namespace, queue } = row;
  return {
    position: { shard, number },
    incidentId: String(incident_id),
    kind,
    subject,
    queue: queueId === null || namespace === null || queue === null ? null : { namespace, queue, queueId },
    summary,
    openedMs: row.opened_ms,
    step: stepOf(row),
  };
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
    ...(row.cuts !== null && { cuts: row.cuts }),
  };
}

/** A row that a newer program folded would be misread: its shard waits for a publisher of that version. */
export function known(row: { readonly fold_version: number }, state: string): string {
  if (knowsFoldVersion(row.fold_version)) return state;
  throw new TerminalError('newer_rows', unknownFold('rows were', row.fold_version));
}
