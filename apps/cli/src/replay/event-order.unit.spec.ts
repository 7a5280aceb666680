import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, EventOrder } from './event-order.js';
import type { TimedEvent } from './line-events.js';

const KINDS = ['queued', 'started', 'succeeded'] as const;

/** Lines of up to three events, each event no earlier than the one before it. */
const history = fc.array(fc.array(fc.nat(50), { minLength: 1, maxLength: 3 }), { maxLength: 40 }).map((lines) =>
  lines.map((gaps, line): TimedEvent[] => {
    let atMs = 0;
    return gaps.map((gap, i) => ({ line, kind: KINDS[i] ?? 'queued', atMs: (atMs += gap), event: {} }));
  }),
);

function sent(lines: readonly TimedEvent[][], inOrder: boolean): TimedEvent[] {
  const order = new EventOrder(inOrder);
  return [...lines.flatMap((events) => [...order.add(events)]), ...order.rest()];
}

describe('the order of sending', () => {
  it('is by time, then line, then a job’s life, whatever the order of the lines', () => {
    fc.assert(
      fc.property(history, (lines) => {
        expect(sent(lines, false)).toEqual(lines.flat().sort(compare));
      }),
    );
  });

  it('is the same while it streams, on lines in the order of their first times', () => {
    fc.assert(
      fc.property(history, (lines) => {
        const sorted = lines
          .toSorted((a, b) => a[0]!.atMs - b[0]!.atMs)
          .map((events, line) => events.map((e) => ({ ...e, line })));
        expect(sent(sorted, true)).toEqual(sorted.flat().sort(compare));
      }),
    );
  });

  it('would be wrong if it streamed lines that are in no order', () => {
    const late: TimedEvent[][] = [[at(0, 9)], [at(1, 10)], [at(2, 1)]];
    expect(sent(late, true)).not.toEqual(late.flat().sort(compare));
    expect(sent(late, false)).toEqual(late.flat().sort(compare));
  });

  it('holds back only what a later line could come before', () => {
    const order = new EventOrder(true);
    expect([...order.add([at(0, 1), at(0, 100)])].map((e) => e.atMs)).toEqual([]);
    expect([...order.add([at(1, 50)])].map((e) => e.atMs)).toEqual([1]);
    expect([...order.rest()].map((e) => e.atMs)).toEqual([50, 100]);
  });
});

function at(line: number, atMs: number): TimedEvent {
  return { line, kind: 'queued', atMs, event: {} };
}
