import { describe, expect, it } from 'vitest';
import { batches, type BatchLimits } from './batches.js';
import type { TimedEvent } from './line-events.js';

async function cut(times: readonly number[], limits: Partial<BatchLimits>): Promise<readonly (readonly number[])[]> {
  async function* source(): AsyncGenerator<TimedEvent> {
    for (const atMs of times)
      yield await Promise.resolve({ line: 1, kind: 'queued' as const, atMs, event: { id: 'é' } });
  }
  const found: number[][] = [];
  for await (const batch of batches(source(), { events: 100, bytes: 1_000_000, spanMs: null, ...limits })) {
    expect(JSON.parse(batch.body)).toEqual(batch.events.map((e) => e.event));
    found.push(batch.events.map((e) => e.atMs));
  }
  return found;
}

describe('batches', () => {
  it('end at a number of events, at a number of bytes, and where times lie too far apart', async () => {
    expect(await cut([1, 2, 3], { events: 2 })).toEqual([[1, 2], [3]]);
    // Each event is 11 bytes with its comma: é takes two.
    expect(await cut([1, 2, 3], { bytes: 2 + 24 })).toEqual([[1, 2], [3]]);
    expect(await cut([1, 5, 6, 9], { spanMs: 4 })).toEqual([
      [1, 5],
      [6, 9],
    ]);
    expect(await cut([1, 1, 2], { spanMs: 0 })).toEqual([[1, 1], [2]]);
  });

  it('hold an event alone that is too long for any request, so that only it is refused', async () => {
    expect(await cut([1, 2], { bytes: 5 })).toEqual([[1], [2]]);
  });

  it('are none without events', async () => {
    expect(await cut([], {})).toEqual([]);
  });
});
