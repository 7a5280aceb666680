import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksOf } from './blocks.js';
import { logPriceOf, slidesOf } from './slides.js';
import { spanOf, type GateSpan } from './select-window.js';

const T0 = 1_700_000_103_000;
const HOUR_MS = 3_600_000;
const windowMs = fc.constantFrom(60_000, 300_000, 1_000_000, HOUR_MS, 2 * HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS);
const firstMs = fc.integer({ min: 0, max: 600_000 }).map((ms) => T0 + ms - (ms % 10_000));

/** Something of each side every 10 s, so that blocks could begin anywhere. */
function blocksIn({ fromMs, toMs, slotMs }: GateSpan) {
  const cells = [];
  for (let ms = fromMs; ms < toMs; ms += slotMs) for (const side of ['canary', 'stable'] as const) cells.push({ side, kind: '', slotMs: ms, all: ((ms / slotMs) % 3) + 1 });
  return blocksOf(cells, { none: () => ({ all: 0 }), add: (sum, { all }) => { sum.all += all; }, size: ({ all }) => all });
}

describe('a window that slides', () => {
  it('shows the same blocks to all looks that pay the same, and a later one more of them', () => {
    fc.assert(
      fc.property(windowMs, firstMs, fc.nat(12 * HOUR_MS), fc.nat(HOUR_MS), (width, first, at, more) => {
        const [early, late] = [at, at + more].map((ms) => spanOf({ firstMs: first, sinceMs: 0, nowMs: first + ms, windowMs: width })) as [GateSpan, GateSpan];
        if (slidesOf(early, width) !== slidesOf(late, width)) return;
        expect(late.fromMs).toBe(early.fromMs);
        const before = blocksIn(early);
        expect(blocksIn(late).slice(0, before.length)).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });

  it('pays by how often it slid, and never looks back further than it may, nor over less than two thirds of it', () => {
    fc.assert(
      fc.property(windowMs, firstMs, fc.integer({ min: 0, max: 12 * HOUR_MS }), (width, first, at) => {
        const nowMs = first + 2 * width + at;
        const span = spanOf({ firstMs: first, sinceMs: 0, nowMs, windowMs: width });
        expect(slidesOf(span, width)).toBeGreaterThan(0);
        expect(span.fromMs).toBeGreaterThanOrEqual(nowMs - width);
        expect(span.toMs - span.fromMs).toBeGreaterThanOrEqual((width * 2) / 3 - 12_000);
      }),
    );
  });

  it('has slid not at all as long as it reaches back to the beginning', () => {
    const span = spanOf({ firstMs: T0, sinceMs: 0, nowMs: T0 + HOUR_MS, windowMs: HOUR_MS });
    expect([span.fromMs - span.sinceMs, slidesOf(span, HOUR_MS)]).toEqual([0, 0]);
  });

  it('does not look elsewhere when the beginning is only known to five minutes any more', () => {
    const at = (first: number) => spanOf({ firstMs: first, sinceMs: 0, nowMs: T0 + 2 * HOUR_MS, windowMs: HOUR_MS });
    expect(at(T0 - (T0 % 300_000)).fromMs).toBe(at(T0).fromMs);
  });

  it('is paid for beforehand: all prices together are no more than one alarm', () => {
    let sum = 0;
    for (let slides = 0; slides < 100_000; slides += 1) sum += Math.exp(logPriceOf(slides));
    expect(sum).toBeLessThanOrEqual(1);
    expect(sum).toBeGreaterThan(0.999);
  });
});
