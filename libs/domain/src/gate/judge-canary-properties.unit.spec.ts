import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { T0 } from './gate.fixture.js';
import { GATE_DEFAULTS, type GatePolicy } from './gate-policy.js';
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

/** Usual ones, and those at the bounds of what a policy file may say. */
const policies = fc.oneof(
  fc.constant(GATE_DEFAULTS),
  fc.record<GatePolicy>({
    alpha: fc.constantFrom(0.0001, 0.05, 0.5),
    margin: fc.constantFrom(0.001, 0.02, 0.5),
    runTimeFactor: fc.constantFrom(null, 1.5, 100),
    minSample: fc.constantFrom(1, 20, 1_000_000),
    windowMs: fc.constantFrom(60_000, 3_600_000, 86_400_000),
  }),
);
/** As far back as the rollout began; the window may have slid since. */
const slid = fc.constantFrom(0, 10_000, 3_600_000, 30 * 86_400_000);
const cases = fc.tuple(windows, policies, slid).map(([window, policy, ms]) => ({ window: { ...window, sinceMs: window.fromMs - ms }, policy }));

interface Case {
  readonly window: GateWindow;
  readonly policy: GatePolicy;
}

function judge({ window, policy }: Case): CanaryVerdict {
  return judgeCanary(window, policy);
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

describe('whatever the window and the policy', () => {
  it('every figure is finite, every share and every chance between 0 and 1, and it can be written as JSON', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const found = judge(one);
        expect(numbersIn(found).every(Number.isFinite)).toBe(true);
        for (const { canary, stable, worse, notWorse } of found.metrics) {
          for (const share of [canary ?? 0, stable ?? 0, worse.chance, notWorse.chance, worse.tellsAt, notWorse.tellsAt]) expect(share >= 0 && share <= 1).toBe(true);
        }
        expect(JSON.parse(JSON.stringify(found))).toEqual(found);
      }),
      { numRuns: 150 },
    );
  });

  it('neither the order of its rows nor how they are split changes anything', () => {
    fc.assert(
      fc.property(cases, fc.infiniteStream(fc.nat()), ({ window, policy }, numbers) => {
        const draw = () => numbers.next().value as number;
        const split = window.counts.flatMap((c): GateCounts[] => {
          const some = draw() % (c.succeeded + 1);
          return [{ ...c, succeeded: some, failed: 0 }, { ...c, succeeded: c.succeeded - some, lost: 0, deadLettered: 0 }];
        });
        const shuffled = <T>(rows: readonly T[]): T[] => rows.map((row) => ({ row, at: draw() })).sort((a, b) => a.at - b.at).map(({ row }) => row);
        expect(judge({ window: { ...window, counts: shuffled(split), runTimes: shuffled(window.runTimes) }, policy })).toEqual(judge({ window, policy }));
      }),
      { numRuns: 40 },
    );
  });

  it('another failure of the canary never makes it look better, and another one of stable never makes it look worse', () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ window, policy }, at) => {
        const [before] = judge({ window, policy }).metrics;
        const index = at % Math.max(1, window.counts.length);
        const cell = window.counts[index];
        if (cell === undefined || cell.succeeded === 0) return;
        const changed = window.counts.with(index, { ...cell, succeeded: cell.succeeded - 1, failed: cell.failed + 1 });
        const [after] = judge({ window: { ...window, counts: changed }, policy }).metrics;
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
      fc.property(cases, ({ window, policy }) => {
        const { verdict, samples, metrics, needed } = judge({ window, policy });
        if (verdict === 'inconclusive') expect(needed.canary).toBeGreaterThan(0);
        else expect(Math.min(samples.canary, samples.stable)).toBeGreaterThanOrEqual(policy.minSample);
        expect(verdict === 'healthy' && metrics.some((m) => m.state === 'open' || m.state === 'worse')).toBe(false);
        expect(verdict === 'unhealthy' && !metrics.some((m) => m.state === 'worse')).toBe(false);
      }),
      { numRuns: 150 },
    );
  });
});
