import type { TimedEvent } from './line-events.js';

/**
 * Puts events of lines in the order of their times: a heap that gives out what no later line can come before. On a file
 * in the order of its first times it holds only jobs that have begun and not ended; on any other file everything.
 */
export class EventOrder {
  private readonly heap: TimedEvent[] = [];

  constructor(private readonly inOrder: boolean) {}

  /** Takes a line's events; answers what can be sent now. */
  *add(events: readonly TimedEvent[]): Generator<TimedEvent> {
    for (const event of events) this.push(event);
    if (!this.inOrder) return;
    const first = firstOf(events);
    while (first !== null && this.heap[0] !== undefined && compare(this.heap[0], first) < 0) yield this.pop();
  }

  *rest(): Generator<TimedEvent> {
    while (this.heap.length > 0) yield this.pop();
  }

  private push(event: TimedEvent): void {
    const { heap } = this;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || compare(above, event) <= 0) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = event;
  }

  private pop(): TimedEvent {
    const { heap } = this;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined) throw new Error('the heap is empty');
    if (heap.length > 0) this.sink(last);
    return top;
  }

  private sink(event: TimedEvent): void {
    const { heap } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left !== undefined && right !== undefined && compare(right, left) < 0) child += 1;
      const below = heap[child];
      if (below === undefined || compare(event, below) <= 0) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = event;
  }
}

const PHASE: Record<TimedEvent['kind'], number> = { queued: 0, started: 1, succeeded: 2, failed: 2 };

/** By time; at the same time by line, and within a line in the order of a job's life. */
export function compare(a: TimedEvent, b: TimedEvent): number {
  return a.atMs - b.atMs || a.line - b.line || PHASE[a.kind] - PHASE[b.kind];
}

/** The earliest of a line's events; null where it has none. */
export function firstOf(events: readonly TimedEvent[]): TimedEvent | null {
  return events.reduce<TimedEvent | null>(
    (first, event) => (first === null || compare(event, first) < 0 ? event : first),
    null,
  );
}
