import { readHistory, type HistoryFormat } from './history.js';
import { firstOf } from './event-order.js';
import { eventsOfLine, type EventKind, type TimedEvent } from './line-events.js';
import type { Mapping } from './mapping.js';

/** What a first reading of the whole file tells: nothing is sent before it. */
export interface Survey {
  readonly lines: number;
  readonly events: number;
  readonly byKind: Readonly<Record<EventKind, number>>;
  /** Outcomes as they are written, with how often; the most frequent {@link SHOWN_OUTCOMES}. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly bad: number;
  /** The first {@link SHOWN_BAD_LINES}. */
  readonly badLines: readonly { readonly line: number; readonly fault: string }[];
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Lines come in the order of their first times: little has to be held in memory. */
  readonly inOrder: boolean;
  readonly sample: readonly TimedEvent[];
}

export const SHOWN_BAD_LINES = 20;
const SHOWN_OUTCOMES = 20;

export async function survey(file: string, format: HistoryFormat, mapping: Mapping): Promise<Survey> {
  const byKind: Record<EventKind, number> = { queued: 0, started: 0, succeeded: 0, failed: 0 };
  const outcomes = new Map<string, number>();
  const badLines: { line: number; fault: string }[] = [];
  let [lines, events, bad] = [0, 0, 0];
  let [firstMs, lastMs] = [Infinity, -Infinity];
  let [inOrder, before] = [true, -Infinity];
  let sample: readonly TimedEvent[] = [];
  for await (const line of readHistory(file, format)) {
    lines += 1;
    const read = 'fault' in line ? { ok: false as const, fault: line.fault } : eventsOfLine(line, mapping);
    if (!read.ok) {
      bad += 1;
      if (badLines.length < SHOWN_BAD_LINES) badLines.push({ line: line.line, fault: read.fault });
      continue;
    }
    if (sample.length === 0) sample = read.events;
    if (outcomes.has(read.outcome) || outcomes.size < SHOWN_OUTCOMES)
      outcomes.set(read.outcome, (outcomes.get(read.outcome) ?? 0) + 1);
    for (const event of read.events) {
      events += 1;
      byKind[event.kind] += 1;
      firstMs = Math.min(firstMs, event.atMs);
      lastMs = Math.max(lastMs, event.atMs);
    }
    const first = firstOf(read.events)?.atMs ?? before;
    if (first < before) inOrder = false;
    before = Math.max(before, first);
  }
  const known = (ms: number): number | null => (Number.isFinite(ms) ? ms : null);
  return {
    lines,
    events,
    byKind,
    outcomes,
    bad,
    badLines,
    firstMs: known(firstMs),
    lastMs: known(lastMs),
    inOrder,
    sample,
  };
}

/** The events in the order in which they are sent. Broken lines are left out: the survey has told them. */
export async function* eventsInOrder(
  file: string,
  format: HistoryFormat,
  mapping: Mapping,
  order: { add(events: readonly TimedEvent[]): Iterable<TimedEvent>; rest(): Iterable<TimedEvent> },
): AsyncGenerator<TimedEvent> {
  for await (const line of readHistory(file, format)) {
    if ('fault' in line) continue;
    const read = eventsOfLine(line, mapping);
    if (read.ok) yield* order.add(read.events);
  }
  yield* order.rest();
}
