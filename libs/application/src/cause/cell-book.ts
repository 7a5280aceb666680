import { noCounts, OUTCOME_SLOT_MS, type Counted, type OutcomeName, type RevisionSeen, type WindowCell } from '#libs/domain';

interface Cell extends WindowCell {
  readonly counts: Record<OutcomeName, number>;
}

/** A revision that was there as soon as anything was heard of its queue is as old as what is known, ms. */
const AT_ONCE_MS = 60_000;

/** Counts per stretch, as the table of outcomes has them. */
export class CellBook {
  private readonly cells = new Map<string, Cell>();

  add(queue: string, kind: string, { atMs, name, worker, contradicts }: Counted): void {
    const slotMs = atMs - (atMs % OUTCOME_SLOT_MS);
    const [revision, track] = [worker?.revision ?? '', worker?.track ?? ''];
    const key = [queue, slotMs, kind, revision, track].join('\0');
    let cell = this.cells.get(key);
    if (cell === undefined) this.cells.set(key, (cell = { queue, slotMs, kind, revision, track, counts: noCounts() }));
    cell.counts[name] += 1;
    if (contradicts) cell.counts.contradicted += 1;
  }

  all(): readonly WindowCell[] {
    return [...this.cells.values()];
  }
}

/** When each revision of each queue was heard of, from stretches of any length. */
export function revisionsIn(cells: readonly Pick<WindowCell, 'queue' | 'slotMs' | 'revision'>[]): readonly RevisionSeen[] {
  const queues = new Map<string, number>();
  const found = new Map<string, { queue: string; revision: string; firstMs: number; lastMs: number }>();
  for (const { queue, slotMs, revision } of cells) {
    queues.set(queue, Math.min(queues.get(queue) ?? slotMs, slotMs));
    if (revision === '') continue;
    const key = `${queue}\0${revision}`;
    const seen = found.get(key) ?? { queue, revision, firstMs: slotMs, lastMs: slotMs };
    found.set(key, { ...seen, firstMs: Math.min(seen.firstMs, slotMs), lastMs: Math.max(seen.lastMs, slotMs) });
  }
  return [...found.values()].map((seen) => ({
    ...seen,
    firstMs: seen.firstMs < (queues.get(seen.queue) ?? 0) + AT_ONCE_MS ? null : seen.firstMs,
  }));
}
