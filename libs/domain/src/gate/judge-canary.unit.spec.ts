import { describe, expect, it } from 'vitest';
import { over, windowOf } from './gate.fixture.js';
import { GATE_DEFAULTS } from './gate-policy.js';
import { judgeCanary } from './judge-canary.js';

const judge = (window: ReturnType<typeof windowOf>) => judgeCanary(window, GATE_DEFAULTS);
const stateOf = (name: string, { metrics }: ReturnType<typeof judgeCanary>) => metrics.find((m) => m.name === name)?.state;

describe('a canary', () => {
  it('that does as well as stable is healthy once there is enough to tell by', () => {
    const each = [{ side: 'canary', succeeded: 9, runMs: 30 }, { side: 'stable', succeeded: 90, failed: 1, runMs: 30 }] as const;
    const soon = judge(over(10, each));
    expect(soon.verdict).toBe('inconclusive');
    expect(soon.reasons).toEqual(['more_samples_needed']);
    expect(soon.needed.canary).toBeGreaterThan(50);
    const late = judge(over(100, each));
    expect(late.verdict).toBe('healthy');
    expect(late.needed).toEqual({ canary: 0, stable: 0 });
    expect(late.samples).toEqual({ canary: 900, stable: 9_100 });
  });

  it('that fails more often is unhealthy, with the figures', () => {
    const found = judge(over(30, [{ side: 'canary', succeeded: 9, failed: 1 }, { side: 'stable', succeeded: 98, failed: 2 }]));
    expect(found.verdict).toBe('unhealthy');
    expect(found.reasons).toEqual(['failures_worse']);
    const [failures] = found.metrics;
    expect(failures).toMatchObject({ state: 'worse', canary: 0.1, stable: 0.02 });
    expect(failures?.difference).toBeCloseTo(0.08);
    expect(failures?.worse.chance).toBeLessThan(failures?.worse.tellsAt ?? 0);
    expect(found.evidence[0]?.says).toContain('worse than stable');
  });

  it('that loses leases, leaves dead letters or takes twice as long is unhealthy for that', () => {
    const stable = { side: 'stable', succeeded: 95, failed: 5, runMs: 100 } as const;
    const of = (canary: object) => judge(over(60, [{ side: 'canary', ...canary }, stable]));
    expect(of({ succeeded: 9, lost: 1, runMs: 100 }).reasons).toContain('lost_worse');
    expect(of({ succeeded: 9, failed: 1, deadLettered: 1, runMs: 100 }).reasons).toContain('dead_letters_worse');
    expect(of({ succeeded: 10, runMs: 200 }).reasons).toEqual(['run_times_worse']);
    expect(stateOf('runTimes', of({ succeeded: 10, runMs: 112 }))).toBe('not-worse');
  });

  it('that happens to get more of a bad kind is not blamed for it', () => {
    // The canary fails in 34 of 100 and stable in 14 of 100, and each kind fails as often with either.
    const mixed = over(60, [
      { side: 'canary', kind: 'bad', succeeded: 12, failed: 8 },
      { side: 'canary', kind: 'good', succeeded: 5 },
      { side: 'stable', kind: 'bad', succeeded: 24, failed: 16 },
      { side: 'stable', kind: 'good', succeeded: 75 },
    ]);
    const found = judge(mixed);
    expect(found.metrics[0]).toMatchObject({ canary: expect.closeTo(0.32) as number, stable: expect.closeTo(0.139) as number });
    expect(found.metrics[0]?.difference).toBeCloseTo(0);
    expect(found.metrics[0]?.state).toBe('not-worse');
    // Told apart by nothing, the same counts are damning.
    const blended = { ...mixed, counts: mixed.counts.map((c) => ({ ...c, kind: '' })) };
    expect(judge(blended).verdict).toBe('unhealthy');
  });

  it('that meets an outage which everybody meets is not blamed for it', () => {
    const at = (slot: number) => (slot >= 20 && slot < 26 ? 0.9 : 0.02);
    const window = windowOf(
      Array.from({ length: 90 }, (_, slot) => {
        const failed = (n: number) => Math.round(n * at(slot));
        return [
          { side: 'canary', slot, succeeded: 10 - failed(10), failed: failed(10) },
          { side: 'stable', slot, succeeded: 90 - failed(90), failed: failed(90) },
        ] as const;
      }).flat(),
    );
    expect(stateOf('failures', judge(window))).not.toBe('worse');
  });

  it('that breaks one kind alone is unhealthy with that kind named, though it is too rare to count for much', () => {
    const found = judge(
      over(100, [
        { side: 'canary', kind: 'mail', succeeded: 500 },
        { side: 'stable', kind: 'mail', succeeded: 4_500 },
        { side: 'canary', kind: 'yearly', failed: 1 },
        { side: 'stable', kind: 'yearly', succeeded: 9 },
      ]),
    );
    expect(found.verdict).toBe('unhealthy');
    expect(found.metrics[0]).toMatchObject({ state: 'worse', kind: 'yearly' });
  });

  it('that is worse by less than the margin is as good as stable', () => {
    const found = judge(over(300, [{ side: 'canary', succeeded: 99, failed: 1 }, { side: 'stable', succeeded: 897, failed: 3 }]));
    expect(found.metrics[0]?.worse.chance).toBeLessThan(1e-3);
    expect(found.verdict).toBe('healthy');
  });
});

describe('a window that slid', () => {
  const each = [{ side: 'canary', succeeded: 9, failed: 1 }, { side: 'stable', succeeded: 98, failed: 2 }] as const;
  const slid = (times: number) => {
    const window = over(30, each);
    return judge({ ...window, sinceMs: window.fromMs - times * 900_000 });
  };

  it('asks for more, the more often it slid: each is a bet of its own that could go off by chance', () => {
    const tellsAt = [0, 1, 2, 8, 40].map((times) => slid(times).metrics[0]?.worse.tellsAt ?? 0);
    expect(tellsAt).toEqual(tellsAt.toSorted((a, b) => b - a));
    expect(new Set(tellsAt).size).toBe(5);
    expect(tellsAt[0]).toBeLessThan(0.05);
  });

  it('tells of a bad canary all the same', () => {
    expect(slid(8).verdict).toBe('unhealthy');
  });
});

describe('without evidence', () => {
  it('nothing is said: no traffic of either, too little of either, one failure of one', () => {
    expect(judge(windowOf([]))).toMatchObject({ verdict: 'inconclusive', reasons: ['no_canary_traffic'] });
    expect(judge(over(9, [{ side: 'stable', succeeded: 50 }]))).toMatchObject({ verdict: 'inconclusive', reasons: ['no_canary_traffic'] });
    expect(judge(over(9, [{ side: 'canary', failed: 50 }]))).toMatchObject({ verdict: 'inconclusive', reasons: ['no_stable_traffic'] });
    expect(judge(over(1, [{ side: 'canary', failed: 1 }, { side: 'stable', succeeded: 1 }]))).toMatchObject({ verdict: 'inconclusive', reasons: ['below_minimum_sample'] });
  });

  it('what is needed at least is what lacks of the minimum', () => {
    const { needed } = judge(over(1, [{ side: 'canary', failed: 5 }, { side: 'stable', succeeded: 9 }]));
    expect(needed.canary).toBeGreaterThanOrEqual(15);
    expect(needed.stable).toBe(11);
  });

  it('all fail of both: nothing tells them apart, and nothing is worse', () => {
    const found = judge(over(50, [{ side: 'canary', failed: 10 }, { side: 'stable', failed: 90 }]));
    expect(found.verdict).not.toBe('unhealthy');
  });

  it('run times that nobody tells, or that the policy leaves out, are not waited for', () => {
    const each = [{ side: 'canary', succeeded: 10, runMs: 900 }, { side: 'stable', succeeded: 90, runMs: 30 }] as const;
    expect(judgeCanary(over(60, each), { ...GATE_DEFAULTS, runTimeFactor: null }).verdict).toBe('healthy');
    expect(judge(over(60, each)).verdict).toBe('unhealthy');
  });
});
