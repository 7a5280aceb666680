import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { T0 } from './gate.fixture.js';
import { GATE_DEFAULTS } from './gate-policy.js';
import type { GateCounts, GateRunTimes, GateSide, GateWindow } from './gate-window.js';
import { judgeCanary } from './judge-canary.js';
import type { CanaryVerdict } from './verdict.js';

const side = fc.constantFrom<GateSide>('canary', 'stable');
const kind = fc.constantFrom('', 'mail', 'report');
const slotMs = fc.integer({ min: 0, max: 60 }).map((slot) => T0 + slot * 10_000);
const count = fc.oneof(fc.nat(3), fc.nat(40));
const counts = fc.record<GateCounts>({ side, kind, slotMs, succeeded: count, failed: count, lost: fc.nat(2), deadLettered: fc.nat(30) });
const runTimes = fc.record<GateRunTimes>({ side, kind, slotMs, bucket: fc.nat(143), count: fc.nat(40) });
const windows = fc.record({ counts: fc.array(counts, { maxLength: 80 }), runTimes: fc.array(runTimes, { maxLength: 40 }) }).map(
  (rows): GateWindow => ({ ...rows, sinceMs: T0, fromMs: T0, toMs: T0 + 610_000 }),
);

function judge(window: GateWindow): CanaryVerdict {
  return judgeCanary(window, GATE_DEFAULTS);
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

describe('whatever the window', () => {
  it('every figure is finite, every share and every chance between 0 and 1, and it can be written as JSON', () => {
    fc.assert(
      fc.property(windows, (window) => {
        const found = judge(window);
        expect(numbersIn(found).every(Number.isFinite)).toBe(true);
        for (const { canary, stable, worse, notWorse } of found.metrics) {
          for (const share of [canary ?? 0, stable ?? 0, worse.chance, notWorse.chance]) expect(share >= 0 && share <= 1).toBe(true);
        }
        expect(JSON.parse(JSON.stringify(found))).toEqual(found);
      }),
      { numRuns: 60 },
    );
  });

  it('neither the order of its rows nor how they are split changes anything', () => {
    fc.assert(
      fc.property(windows, fc.infiniteStream(fc.nat()), (window, numbers) => {
        const draw = () => numbers.next().value as number;
        const split = window.counts.flatMap((c): GateCounts[] => {
          const some = draw() % (c.succeeded + 1);
          return [{ ...c, succeeded: some, failed: 0 }, { ...c, succeeded: c.succeeded - some, lost: 0, deadLettered: 0 }];
        });
        const shuffled = <T>(rows: readonly T[]): T[] => rows.map((row) => ({ row, at: draw() })).sort((a, b) => a.at - b.at).map(({ row }) => row);
        expect(judge({ ...window, counts: shuffled(split), runTimes: shuffled(window.runTimes) })).toEqual(judge(window));
      }),
      { numRuns: 40 },
    );
  });

  it('another failure of the canary never makes it look better, and another one of stable never makes it look worse', () => {
    fc.assert(
      fc.property(windows, fc.nat(), (window, at) => {
        const [before] = judge(window).metrics;
        const index = at % Math.max(1, window.counts.length);
        const cell = window.counts[index];
        if (cell === undefined || cell.succeeded === 0) return;
        const changed = window.counts.with(index, { ...cell, succeeded: cell.succeeded - 1, failed: cell.failed + 1 });
        const [after] = judge({ ...window, counts: changed }).metrics;
        const more = 1 + 1e-9;
        if (cell.side === 'canary') {
          expect(after?.worse.chance).toBeLessThanOrEqual((before?.worse.chance ?? 1) * more);
          expect((after?.notWorse.chance ?? 1) * more).toBeGreaterThanOrEqual(before?.notWorse.chance ?? 1);
        } else {
          expect((after?.worse.chance ?? 1) * more).toBeGreaterThanOrEqual(before?.worse.chance ?? 1);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('it is unhealthy only above the minimum sample, and healthy only where nothing is open', () => {
    fc.assert(
      fc.property(windows, (window) => {
        const { verdict, samples, metrics, needed } = judge(window);
        if (verdict === 'inconclusive') expect(needed.canary).toBeGreaterThan(0);
        else expect(Math.min(samples.canary, samples.stable)).toBeGreaterThanOrEqual(GATE_DEFAULTS.minSample);
        expect(verdict === 'healthy' && metrics.some((m) => m.state === 'open' || m.state === 'worse')).toBe(false);
        expect(verdict === 'unhealthy' && !metrics.some((m) => m.state === 'worse')).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
