import type { CauseWindow } from '../window.js';

/** A window by its queues: what each of them would be told if it were asked for alone. */
export class Slices {
  private readonly cells: ReadonlyMap<string, CauseWindow['cells']>;
  private readonly attempts: ReadonlyMap<string, CauseWindow['attempts']>;
  private readonly revisions: ReadonlyMap<string, CauseWindow['revisions']>;

  constructor(private readonly window: CauseWindow) {
    this.cells = byQueue(window.cells);
    this.attempts = byQueue(window.attempts);
    this.revisions = byQueue(window.revisions);
  }

  /** A worker that does not say which queues it works for is in every slice. */
  of(queues: readonly string[]): CauseWindow {
    const wanted = new Set(queues);
    const of = <T>(rows: ReadonlyMap<string, readonly T[]>): readonly T[] => queues.flatMap((queue) => rows.get(queue) ?? []);
    return {
      ...this.window,
      queues: this.window.queues.filter(({ queue }) => wanted.has(queue)),
      cells: of(this.cells),
      attempts: of(this.attempts).toSorted((a, b) => b.endedMs - a.endedMs),
      revisions: of(this.revisions),
      workers: this.window.workers.filter((w) => w.queues === undefined || w.queues.some((queue) => wanted.has(queue))),
    };
  }
}

function byQueue<T extends { readonly queue: string }>(rows: readonly T[]): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(rows, ({ queue }) => queue);
}

/** Windows of one stretch of time as one; they name no queue twice, and may name the same workers. */
export function joinedWindows(windows: readonly CauseWindow[]): CauseWindow {
  const [first, ...others] = windows;
  if (first === undefined) throw new Error('no window to join');
  if (others.length === 0) return first;
  const workers = new Map(windows.flatMap(({ workers: some }) => some.map((w) => [`${w.worker}\0${String(w.samples[0]?.atMs ?? w.lastMs)}`, w] as const)));
  return {
    ...first,
    baselineFromMs: Math.min(...windows.map((w) => w.baselineFromMs)),
    queues: windows.flatMap((w) => w.queues),
    cells: windows.flatMap((w) => w.cells),
    revisions: windows.flatMap((w) => w.revisions),
    attempts: windows.flatMap((w) => w.attempts),
    attemptsLeftOut: windows.some((w) => w.attemptsLeftOut),
    workers: [...workers.values()],
  };
}
