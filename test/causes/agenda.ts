interface Entry {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

/** What happens next, and when: a heap by time; of one moment in the order in which it was written down. */
export class Agenda {
  nowMs: number;
  private readonly heap: Entry[] = [];
  private order = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  after(delayMs: number, act: () => void): void {
    this.at(this.nowMs + delayMs, act);
  }

  at(atMs: number, act: () => void): void {
    const entry = { atMs: Math.max(atMs, this.nowMs), order: this.order++, act };
    let i = this.heap.push(entry) - 1;
    while (i > 0) {
      const above = (i - 1) >> 1;
      if (!before(entry, this.heap[above])) break;
      this.heap[i] = this.heap[above] ?? entry;
      i = above;
    }
    this.heap[i] = entry;
  }

  /** Does all that is due until then, what comes up meanwhile as well. */
  runUntil(untilMs: number): void {
    for (let first = this.heap[0]; first !== undefined && first.atMs <= untilMs; first = this.heap[0]) {
      this.takeFirst();
      this.nowMs = first.atMs;
      first.act();
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  private takeFirst(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    let i = 0;
    for (;;) {
      const left = 2 * i + 1;
      const child = before(this.heap[left + 1], this.heap[left]) ? left + 1 : left;
      const below = this.heap[child];
      if (below === undefined || !before(below, last)) break;
      this.heap[i] = below;
      i = child;
    }
    this.heap[i] = last;
  }
}

function before(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
