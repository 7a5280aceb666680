import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Share } from '../cause/statistics.js';
import type { Block } from './blocks.js';
import { betOn, evenly, mostlyAtFirst } from './bet.js';
import { logRatio } from './conditional.js';
import { divergence, growthPerCanary, logNotWorse } from './not-worse.js';

const T0 = 1_700_000_100_000;

function choose(n: number, k: number): number {
  let c = 1;
  for (let i = 1; i <= k; i += 1) c = (c * (n - k + i)) / i;
  return c;
}

function binomial({ of, all }: Share, p: number): number {
  return choose(all, of) * p ** of * (1 - p) ** (all - of);
}

function block(canary: Share, stable: Share, slot = 0, kind = 'mail'): Block {
  return { kind, beganMs: T0 + slot * 10_000, endMs: T0 + slot * 10_000, canary, stable };
}

const sizes = fc.record({ canaries: fc.integer({ min: 1, max: 12 }), stables: fc.integer({ min: 1, max: 30 }) });

describe('what one block pays against "no worse"', () => {
  it('is 1 on average where jobs are dealt out by chance, however many go wrong', () => {
    fc.assert(
      fc.property(sizes, fc.nat(42), fc.double({ min: -4, max: 4, noNaN: true }), ({ canaries, stables }, some, odds) => {
        const bad = some % (canaries + stables + 1);
        let mean = 0;
        for (let of = Math.max(0, bad - stables); of <= Math.min(bad, canaries); of += 1) {
          const chance = (choose(canaries, of) * choose(stables, bad - of)) / choose(canaries + stables, bad);
          mean += chance * Math.exp(logRatio({ of, all: canaries }, { of: bad - of, all: stables }, [odds])[0] ?? 0);
        }
        expect(mean).toBeCloseTo(1, 8);
      }),
    );
  });

  it('is less than 1 on average where the canary is better', () => {
    let mean = 0;
    for (let x = 0; x <= 8; x += 1) {
      for (let y = 0; y <= 20; y += 1) {
        const [canary, stable] = [{ of: x, all: 8 }, { of: y, all: 20 }];
        mean += binomial(canary, 0.05) * binomial(stable, 0.3) * Math.exp(logRatio(canary, stable, [Math.log(3)])[0] ?? 0);
      }
    }
    expect(mean).toBeLessThan(0.9);
  });

  it('says nothing of a block in which everything goes well, or everything wrong', () => {
    expect(logRatio({ of: 0, all: 9 }, { of: 0, all: 90 }, [1, 2])).toEqual([0, 0]);
    expect(logRatio({ of: 9, all: 9 }, { of: 90, all: 90 }, [1, 2])).toEqual([0, 0]);
  });
});

describe('what one block pays against "worse by the margin"', () => {
  it('is at most 1 on average for every canary that is so much worse, or worse still', () => {
    const shares = fc.record({ stable: fc.double({ min: 0, max: 0.9, noNaN: true }), beyond: fc.double({ min: 0, max: 0.9, noNaN: true }) });
    fc.assert(
      fc.property(sizes, fc.double({ min: 0.01, max: 0.1, noNaN: true }), shares, ({ canaries, stables }, margin, { stable, beyond }) => {
        const there = Math.min(stable, 1 - margin);
        const here = Math.min(1, there + margin + beyond);
        let mean = 0;
        for (let x = 0; x <= canaries; x += 1) {
          for (let y = 0; y <= stables; y += 1) {
            const [canary, other] = [{ of: x, all: canaries }, { of: y, all: stables }];
            mean += binomial(canary, here) * binomial(other, there) * Math.exp(logNotWorse([block(canary, other)], margin));
          }
        }
        expect(mean).toBeLessThanOrEqual(1 + 1e-6);
      }),
      { numRuns: 60 },
    );
  });

  it('grows with every success of a canary that is as good, by about what is told beforehand', () => {
    const blocks = Array.from({ length: 100 }, (_, i) => block({ of: i % 5 === 0 ? 1 : 0, all: 10 }, { of: i % 5 === 0 ? 9 : 0, all: 90 }, i));
    const worth = logNotWorse(blocks, 0.02);
    expect(worth).toBeGreaterThan(4);
    expect(growthPerCanary(0.02, 0.02, 9) * 1_000).toBeGreaterThan(worth * 0.8);
    expect(growthPerCanary(0.02, 0.02, 9) * 1_000).toBeLessThan(worth * 1.6);
  });

  it('is the divergence of nothing from nothing where nothing differs', () => {
    expect(divergence(0.3, 0.3)).toBe(0);
    expect(divergence(0, 0.5)).toBeCloseTo(Math.log(2));
    expect(divergence(1, 0)).toBeLessThan(1e4);
  });
});

describe('a bet over a whole rollout', () => {
  const odds = [2, 5, 20].map(Math.log);
  const bet = (blocks: readonly Block[], stakeOf = mostlyAtFirst) => betOn({ series: [blocks], logOdds: odds, fromMs: T0, spacingMs: 300_000, stakeOf });
  const good = (slot: number) => block({ of: 0, all: 10 }, { of: 1, all: 90 }, slot);
  const bad = (slot: number, kind = 'mail') => block({ of: 4, all: 10 }, { of: 1, all: 90 }, slot, kind);

  it('finds a canary that goes wrong after it was well for long', () => {
    // Without a start of its own the bet would first have to earn back what 40 minutes of health have cost.
    const late = bet([...Array.from({ length: 240 }, (_, i) => good(i)), ...Array.from({ length: 8 }, (_, i) => bad(240 + i))]);
    expect(late.most).toBeGreaterThan(6);
  });

  it('finds it sooner late in a window that slid, where no start is better than another', () => {
    const blocks = [...Array.from({ length: 300 }, (_, i) => good(i)), ...Array.from({ length: 8 }, (_, i) => bad(300 + i))];
    expect(bet(blocks, evenly(12)).most).toBeGreaterThan(bet(blocks).most + 1);
  });

  it.each([['mostly at first', mostlyAtFirst], ['evenly', evenly(12)]])('stakes no more than it has: %s', (_, stakeOf) => {
    let sum = 0;
    for (let start = 0; start < 100_000; start += 1) sum += Math.exp(stakeOf(start));
    expect(sum).toBeLessThanOrEqual(1 + 1e-9);
    expect(sum).toBeGreaterThan(0.999);
  });

  it('keeps what it was once worth', () => {
    const early = Array.from({ length: 6 }, (_, i) => bad(i));
    const before = bet(early).most;
    expect(bet([...early, ...Array.from({ length: 100 }, (_, i) => good(i + 6))]).most).toBe(before);
    expect(before).toBeGreaterThan(4);
  });

  it('tells how much of it lies with each kind', () => {
    const kinds = Array.from({ length: 30 }, (_, i) => [good(i), bad(i, 'report'), block({ of: 1, all: 30 }, { of: 9, all: 90 }, i, 'sync')]).flat();
    const found = bet(kinds);
    expect(found.kinds.get('report')).toBeGreaterThan(6);
    expect([found.kinds.get('mail'), found.kinds.get('sync')]).toEqual([0, 0]);
    expect(bet(Array.from({ length: 30 }, (_, i) => good(i)))).toEqual({ most: 0, kinds: new Map([['mail', 0]]) });
  });
});
