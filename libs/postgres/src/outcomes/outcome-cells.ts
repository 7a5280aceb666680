import type { JobWrite } from '#libs/application';
import { countedOf, noCounts, OUTCOME_SLOT_MS, workerOf, type Counted, type OutcomeName } from '#libs/domain';
import { rowsOf } from '../arrays.js';
import type { Connection } from '../database.js';
import { int4s } from '../log/binary-arrays.js';
import { BoundedNames } from './bounded-names.js';
import { byCellKey, CELL_KEY, keyColumns, type CellKey } from './cell-key.js';

/** Columns of `outcomes` behind its key, by what is counted in them, in order. */
export const OUTCOME_COLUMNS = {
  queued: 'queued',
  started: 'started',
  succeeded: 'succeeded',
  failed: 'failed',
  lost: 'lost',
  deadLettered: 'dead_lettered',
  writeRefused: 'write_refused',
  contradicted: 'contradicted',
} as const satisfies Readonly<Record<OutcomeName, string>>;

const NAMES = Object.keys(OUTCOME_COLUMNS) as readonly OutcomeName[];
const COLUMNS: readonly string[] = Object.values(OUTCOME_COLUMNS);

export const UPSERT_OUTCOMES = `
INSERT INTO jobwarden.outcomes AS o (${[...Object.keys(CELL_KEY), ...COLUMNS].join(', ')})
SELECT u.* FROM ${rowsOf({ ...CELL_KEY, ...Object.fromEntries(COLUMNS.map((c) => [c, 'integer'])) })} AS u
ON CONFLICT (${Object.keys(CELL_KEY).join(', ')}) DO UPDATE SET ${COLUMNS.map((c) => `${c} = o.${c} + excluded.${c}`).join(', ')}`;

export interface OutcomeCell extends CellKey {
  readonly counts: Record<OutcomeName, number>;
}

/** The few cells of a (queue, shard) in one batch: looked through, which is quicker than a key made of six parts. */
type Cells = Map<number, OutcomeCell[]>;

export interface NamesOfQueues {
  readonly kinds: BoundedNames;
  readonly revisions: BoundedNames;
  readonly tracks: BoundedNames;
}

export function namesOfQueues(): NamesOfQueues {
  return { kinds: new BoundedNames(), revisions: new BoundedNames(), tracks: new BoundedNames() };
}

/** What a batch adds, summed; sorted, so that writers lock in one order. `laneMs`: of the batch, for what was only looked at. */
export function outcomeCells(writes: readonly JobWrite[], laneMs: number, names: NamesOfQueues): readonly OutcomeCell[] {
  const cells: Cells = new Map();
  for (const write of writes) {
    const { job, events, verdicts, settled } = write;
    // What was approved has been counted when it was said.
    const told = settled.some((s) => s.state === 'decided');
    for (const { event } of events) {
      const counted = countedOf(job.state, event);
      if (counted !== null && !(told && counted.name === 'lost')) add(cells, write, counted, names);
    }
    for (const { kind, verdict, attempt } of verdicts) {
      // Below act nothing is decided, and the lost lease is counted by what would have been.
      if (kind !== 'would-have' || verdict !== 'lost') continue;
      add(cells, write, { atMs: laneMs, name: 'lost', contradicts: false, worker: workerOf(job.state, attempt) }, names);
    }
  }
  return [...cells.values()].flat().sort(byCellKey);
}

function add(cells: Cells, { job }: JobWrite, { atMs, name, worker, contradicts }: Counted, names: NamesOfQueues): void {
  const { queueId, shard, state } = job;
  const slotMs = atMs - (atMs % OUTCOME_SLOT_MS);
  const kind = names.kinds.of(queueId, state.queued?.kind ?? '', slotMs);
  const revision = names.revisions.of(queueId, worker?.revision ?? '', slotMs);
  const track = names.tracks.of(queueId, worker?.track ?? '', slotMs);
  const place = queueId * MAX_SHARDS + shard;
  let some = cells.get(place);
  if (some === undefined) cells.set(place, (some = []));
  let cell = some.find((c) => c.revision === revision && c.kind === kind && c.slotMs === slotMs && c.track === track);
  if (cell === undefined) some.push((cell = { queueId, slotMs, shard, kind, revision, track, counts: noCounts() }));
  cell.counts[name] += 1;
  if (contradicts) cell.counts.contradicted += 1;
}

const MAX_SHARDS = 65_536;

/** Hands its statement over before its first `await`. */
export async function writeOutcomes(tx: Connection, cells: readonly OutcomeCell[]): Promise<void> {
  if (cells.length === 0) return;
  await tx.changed('upsert_outcomes', UPSERT_OUTCOMES, [
    ...keyColumns(cells),
    ...NAMES.map((name) => int4s(cells, (c) => c.counts[name])),
  ]);
}
