import { has, MARKS, type Approval, type JobAccess } from '#libs/application';
import type { Connection } from '../database.js';
import { keys } from './binary-arrays.js';
import type { KnownRow, LeaseRow, LockedRow } from './rows.js';
import * as sql from './statements.js';

/*
 * What a batch needs to know besides its rows. Each is asked after the rows are locked, in a statement of its own that
 * sees everything committed by then; each hands its statements to the connection before its first `await`.
 */

/** Events of the batch that the log has already. */
export async function readKnownEvents(
  tx: Connection,
  rows: readonly LockedRow[],
  access: ReadonlyMap<string, JobAccess>,
): Promise<readonly KnownRow[]> {
  const wanted = new Map<number, { readonly key: string; readonly eventKey: string }[]>();
  for (const { key, period } of rows) {
    let wants = wanted.get(period);
    if (wants === undefined) wanted.set(period, (wants = []));
    for (const eventKey of access.get(key)?.eventKeys ?? []) wants.push({ key, eventKey });
  }
  const found = await Promise.all(
    [...wanted].map(async ([period, wants]) => {
      if (wants.length === 0) return [];
      const values = [keys(wants, (w) => w.key), keys(wants, (w) => w.eventKey), period];
      return await tx.prepared<KnownRow>('known_events', sql.KNOWN_EVENTS, values);
    }),
  );
  return found.flat();
}

export async function readLeases(
  tx: Connection,
  rows: readonly { readonly key: string }[],
  locked: boolean,
): Promise<readonly LeaseRow[]> {
  if (rows.length === 0) return [];
  const [name, text] = locked ? ['leases_lock', sql.LEASES_LOCK] : ['leases_read', sql.LEASES_READ];
  return await tx.prepared<LeaseRow>(name, text, [keys(rows, (r) => r.key)]);
}

export async function readWorkerBeats(
  tx: Connection,
  leases: readonly LeaseRow[],
  locked: boolean,
): Promise<ReadonlyMap<string, number>> {
  const workers = [...new Set(leases.flatMap((l) => (l.worker_key === null ? [] : [l.worker_key])))].sort();
  if (workers.length === 0) return new Map();
  const [name, text] = locked
    ? ['worker_beats_lock', sql.WORKER_BEATS_LOCK]
    : ['worker_beats_read', sql.WORKER_BEATS_READ];
  const rows = await tx.prepared<{ worker_key: string; beat_ms: number }>(name, text, [keys(workers, (w) => w)]);
  return new Map(rows.map((r) => [r.worker_key, r.beat_ms]));
}

/** Jobs that something in quarantine names. */
export async function readHolds(tx: Connection, rows: readonly LockedRow[]): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const held = await tx.prepared<{ key: string }>('quarantine_holds', sql.QUARANTINE_HOLDS, [keys(rows, (r) => r.key)]);
  return new Set(held.map((r) => r.key));
}

/** What was approved of jobs: of hardly ever any, so that nothing is asked without a mark. */
export async function readApprovals(
  tx: Connection,
  rows: readonly LockedRow[],
): Promise<ReadonlyMap<string, readonly Approval[]>> {
  const marked = rows.filter((r) => has(r.open_verdicts, MARKS.approved));
  if (marked.length === 0) return new Map();
  const found = await tx.prepared<ApprovalRow>('approvals', sql.APPROVALS, [keys(marked, (r) => r.key)]);
  return Map.groupBy(
    found.map(({ verdict_id: verdictId, until_ms: untilMs, ...rest }) => ({ verdictId, untilMs, ...rest })),
    (row) => row.key,
  );
}

interface ApprovalRow extends Omit<Approval, 'verdictId' | 'untilMs'> {
  readonly key: string;
  readonly verdict_id: number;
  readonly until_ms: number;
}

/** Of jobs without a row, those below the retention line. */
export async function readSummaries(tx: Connection, jobs: readonly JobAccess[]): Promise<ReadonlySet<string>> {
  const rows = await tx.prepared<{ key: string }>('summaries', sql.SUMMARIES, [keys(jobs, (j) => j.keyHex)]);
  return new Set(rows.map((r) => r.key));
}
