import type { Share } from '../cause/statistics.js';
import type { GateCell, GateSide } from './gate-window.js';

/** Canary and stable side by side: the same kind of work over the same time. */
export interface Block<T = Share> {
  readonly kind: string;
  /** Where its first and its last stretch begin. */
  readonly beganMs: number;
  readonly endMs: number;
  readonly canary: T;
  readonly stable: T;
}

/** What is added up of cells. */
export interface Adding<C, T> {
  readonly none: () => T;
  readonly add: (sum: T, cell: C) => void;
  readonly size: (sum: T) => number;
}

/** A block is closed with so many of each side: fewer would say next to nothing of what differs between them. */
const FEWEST: Readonly<Record<GateSide, number>> = { canary: 4, stable: 8 };

/**
 * Stretches of one kind, put together until there are enough of both sides to compare. Where a block ends depends on how
 * many there were, never on how they ended, so that looking again moves nothing. The rest, which is no block yet, is left
 * out. In order of time.
 */
export function blocksOf<C extends GateCell, T>(cells: readonly C[], { none, add, size }: Adding<C, T>): readonly Block<T>[] {
  const kinds = new Map<string, C[]>();
  for (const cell of cells) {
    const some = kinds.get(cell.kind);
    if (some === undefined) kinds.set(cell.kind, [cell]);
    else some.push(cell);
  }
  const blocks: Block<T>[] = [];
  for (const [kind, some] of kinds) {
    some.sort((a, b) => a.slotMs - b.slotMs);
    let open: Open<T> | null = null;
    for (const [i, cell] of some.entries()) {
      open ??= { kind, beganMs: cell.slotMs, canary: none(), stable: none() };
      add(open[cell.side], cell);
      if (some[i + 1]?.slotMs === cell.slotMs) continue;
      if (size(open.canary) < FEWEST.canary || size(open.stable) < FEWEST.stable) continue;
      blocks.push({ ...open, endMs: cell.slotMs });
      open = null;
    }
  }
  return blocks.sort((a, b) => a.endMs - b.endMs || (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0));
}

type Open<T> = Omit<Block<T>, 'endMs'>;
