import { int2s, int4s, int8s, texts } from '../log/binary-arrays.js';

/** What every count of outcomes is kept by. */
export interface CellKey {
  readonly queueId: number;
  readonly slotMs: number;
  readonly shard: number;
  readonly kind: string;
  readonly revision: string;
  readonly track: string;
}

/** The same as columns, in the order of `keyColumns`. */
export const CELL_KEY = { queue_id: 'integer', slot_ms: 'bigint', shard: 'smallint', kind: 'text', revision: 'text', track: 'text' } as const;

export function keyColumns(cells: readonly CellKey[]) {
  return [
    int4s(cells, (c) => c.queueId),
    int8s(cells, (c) => c.slotMs),
    int2s(cells, (c) => c.shard),
    texts(cells, (c) => c.kind),
    texts(cells, (c) => c.revision),
    texts(cells, (c) => c.track),
  ];
}

/** The order in which every writer locks. */
export function byCellKey(a: CellKey, b: CellKey): number {
  return (
    a.queueId - b.queueId ||
    a.slotMs - b.slotMs ||
    a.shard - b.shard ||
    compare(a.kind, b.kind) ||
    compare(a.revision, b.revision) ||
    compare(a.track, b.track)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
