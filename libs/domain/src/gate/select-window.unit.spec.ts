import { describe, expect, it } from 'vitest';
import { chooseCanary, spanOf, windowIn, type GateSeen, type GateSelection } from './select-window.js';

const T0 = 1_700_000_100_000;
const BY_TRACK: GateSelection = { by: 'track', track: 'canary', baseline: null };
const seen = (revision: string, track: string, firstMs: number, lastMs = T0 + 600_000): GateSeen => ({ revision, track, firstMs, lastMs });

describe('whoever is the canary', () => {
  it('reports its track; of several revisions it is the newest', () => {
    const all = [seen('1.0', 'stable', T0), seen('2.0', 'canary', T0 + 10_000), seen('2.1', 'canary', T0 + 90_000)];
    expect(chooseCanary(all, BY_TRACK, 0)).toEqual({ canary: { revision: '2.1', track: 'canary' }, stable: true, firstMs: T0 + 90_000 });
  });

  it('has been heard of since the rollout began: an earlier one is not judged in its stead', () => {
    const all = [seen('1.0', 'stable', T0), seen('2.0', 'canary', T0, T0 + 50_000)];
    expect(chooseCanary(all, BY_TRACK, T0 + 100_000)).toEqual({ canary: null, stable: true, firstMs: null });
    expect(chooseCanary(all, BY_TRACK, T0 + 55_000).canary?.revision).toBe('2.0');
  });

  it('is a revision by name, against all others or one of them', () => {
    const all = [seen('1.0', '', T0), seen('2.0', '', T0 + 10_000)];
    expect(chooseCanary(all, { by: 'revision', revision: '2.0', baseline: null }, 0)).toMatchObject({ canary: { revision: '2.0', track: null }, stable: true });
    expect(chooseCanary(all, { by: 'revision', revision: '2.0', baseline: '0.9' }, 0).stable).toBe(false);
    expect(chooseCanary(all, { by: 'revision', revision: '3.0', baseline: null }, 0).canary).toBeNull();
  });

  it('is held against nobody whom nobody named', () => {
    expect(chooseCanary([seen('2.0', 'canary', T0), seen('', '', T0)], BY_TRACK, 0).stable).toBe(false);
    expect(chooseCanary([seen('2.0', 'canary', T0), seen('1.0', '', T0)], BY_TRACK, 0).stable).toBe(true);
  });
});

describe('the time that is judged', () => {
  it('begins after the stretch in which the canary was first heard of, and ends with the last one that is over', () => {
    const span = spanOf({ firstMs: T0, sinceMs: 0, nowMs: T0 + 61_000, windowMs: 3_600_000 });
    expect(span).toEqual({ sinceMs: T0 + 10_000, fromMs: T0 + 10_000, toMs: T0 + 50_000, slotMs: 10_000 });
  });

  it('reaches back no further than the policy says, nor than the rollout', () => {
    expect(spanOf({ firstMs: T0, sinceMs: T0 + 15_000, nowMs: T0 + 600_000, windowMs: 300_000 })).toMatchObject({ sinceMs: T0 + 20_000, fromMs: T0 + 300_000 });
  });

  it('is looked at in long stretches where it is longer than short ones are kept', () => {
    const span = spanOf({ firstMs: T0, sinceMs: 0, nowMs: T0 + 8_000_000, windowMs: 7_200_000 });
    expect([span.slotMs, span.fromMs % 300_000, span.toMs % 300_000]).toEqual([300_000, 0, 0]);
  });

  it('is empty as long as no stretch is over', () => {
    const span = spanOf({ firstMs: T0, sinceMs: 0, nowMs: T0 + 3_000, windowMs: 3_600_000 });
    expect(span.fromMs).toBe(span.toMs);
  });
});

describe('a window', () => {
  it('holds both sides over the same time, and nobody else', () => {
    const span = { sinceMs: T0, fromMs: T0, toMs: T0 + 20_000, slotMs: 10_000 };
    const row = (revision: string, track: string, slotMs: number) => ({ revision, track, slotMs, kind: 'mail', succeeded: 1, failed: 0, lost: 0, deadLettered: 0 });
    const counts = [row('2.0', 'canary', T0), row('1.0', 'stable', T0 + 10_000), row('1.9', 'canary', T0), row('1.0', 'stable', T0 + 20_000), row('1.0', 'stable', T0 - 10_000), row('', '', T0)];
    const window = windowIn(span, BY_TRACK, '2.0', { counts, runTimes: [] });
    expect(window.counts.map(({ side, slotMs }) => [side, slotMs])).toEqual([['canary', T0], ['stable', T0 + 10_000]]);
  });
});
