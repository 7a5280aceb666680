import type { JobWrite } from '#libs/application';
import { countedOf, OUTCOME_SLOT_MS, runTimeBucket, type JobState } from '#libs/domain';
import { rowsOf } from '../arrays.js';
import type { Connection } from '../database.js';
import { int2s, int4s } from '../log/binary-arrays.js';
import { byCellKey, CELL_KEY, keyColumns, type CellKey } from './cell-key.js';
import type { NamesOfQueues, OutcomeCell } from './outcome-cells.js';

const KEY = { ...CELL_KEY, bucket: 'smallint' };
const KEYS = Object.keys(KEY).join(', ');

export const UPSERT_OUTCOME_RUN_TIMES = `
INSERT INTO jobwarden.outcome_run_times AS r (${KEYS}, count)
SELECT u.* FROM ${rowsOf({ ...KEY, count: 'integer' })} AS u
ON CONFLICT (${KEYS}) DO UPDATE SET count = r.count + excluded.count`;

export interface RunTimeCell extends CellKey {
  readonly bucket: number;
  count: number;
}

/** Whoever was heard of within so long is at work, ms of lane time. */
const AT_WORK_MS = 3_600_000;

/**
 * Which queues have workers of more than one release or track: only there is a canary, and anything to hold it against.
 * Elsewhere nothing is written. Per process, which hears of everybody soon, and of both sides alike.
 */
export class SideBySide {
  private readonly queues = new Map<number, Map<string, number>>();

  /** Of these cells, the queues in which run times are kept. */
  noted(cells: readonly OutcomeCell[]): ReadonlySet<number> {
    const several = new Set<number>();
    for (const { queueId, revision, track, slotMs } of cells) {
      if (revision === '' && track === '') continue;
      let heard = this.queues.get(queueId);
      if (heard === undefined) this.queues.set(queueId, (heard = new Map<string, number>()));
      const name = `${revision}\n${track}`;
      heard.set(name, Math.max(slotMs, heard.get(name) ?? 0));
      if (heard.size > 1 && atWork(heard, slotMs) > 1) several.add(queueId);
    }
    return several;
  }
}

/** Forgets the others. */
function atWork(heard: Map<string, number>, nowMs: number): number {
  for (const [name, heardMs] of heard) if (nowMs - heardMs > AT_WORK_MS) heard.delete(name);
  return heard.size;
}

/** Of attempts of these queues that succeeded, summed; sorted, so that writers lock in one order. */
export function runTimeCells(writes: readonly JobWrite[], queues: ReadonlySet<number>, names: NamesOfQueues): readonly RunTimeCell[] {
  if (queues.size === 0) return [];
  const cells = new Map<string, RunTimeCell>();
  for (const { job, events } of writes) {
    const { queueId, shard, state } = job;
    if (!queues.has(queueId)) continue;
    for (const { event } of events) {
      if (event.kind !== 'fact' || event.fact.type !== 'succeeded') continue;
      const counted = countedOf(state, event);
      if (counted === null || counted.contradicts) continue;
      const runMs = runMsOf(state, event.fact.attempt);
      if (runMs === null) continue;
      const slotMs = counted.atMs - (counted.atMs % OUTCOME_SLOT_MS);
      const kind = names.kinds.of(queueId, state.queued?.kind ?? '', slotMs);
      const revision = names.revisions.of(queueId, counted.worker?.revision ?? '', slotMs);
      const track = names.tracks.of(queueId, counted.worker?.track ?? '', slotMs);
      const bucket = runTimeBucket(runMs);
      const key = [queueId, slotMs, shard, bucket, kind, revision, track].join('\n');
      const cell = cells.get(key);
      if (cell === undefined) cells.set(key, { queueId, slotMs, shard, kind, revision, track, bucket, count: 1 });
      else cell.count += 1;
    }
  }
  return [...cells.values()].sort(byKey);
}

/** Start and end that were read at the same instant say nothing of the time between them. */
function runMsOf(state: JobState, attempt: number): number | null {
  const own = state.attempts.get(attempt);
  if (own === undefined || own.outcome?.kind !== 'succeeded') return null;
  const { durationMs, laneMs } = own.outcome;
  if (durationMs !== undefined) return durationMs < 0 ? null : durationMs;
  return own.firstStartMs === null || laneMs <= own.firstStartMs ? null : laneMs - own.firstStartMs;
}

function byKey(a: RunTimeCell, b: RunTimeCell): number {
  return byCellKey(a, b) || a.bucket - b.bucket;
}

/** Hands its statement over before its first `await`. */
export async function writeRunTimes(tx: Connection, cells: readonly RunTimeCell[]): Promise<void> {
  if (cells.length === 0) return;
  await tx.changed('upsert_outcome_run_times', UPSERT_OUTCOME_RUN_TIMES, [
    ...keyColumns(cells),
    int2s(cells, (c) => c.bucket),
    int4s(cells, (c) => c.count),
  ]);
}
