import { describe, expect, it } from 'vitest';
import { hasToken, lineUp, purseOf, spend, tokensAt, type Bucket, type Budget, type Purse } from './token-bucket.js';

const budget: Budget = { perSecond: 50, burst: 100 };
const bucket = (tokens: number, atMs: number, tailMs = 0): Bucket => ({ tokens, atMs, tailMs });

/** As many as there are, and then places in the line. */
function ask(purse: Purse, times: number, waited = false): { readonly purse: Purse; readonly spent: number; readonly turns: readonly number[] } {
  const turns: number[] = [];
  let now = purse;
  for (let i = 0; i < times; i += 1) {
    if (hasToken(now, waited)) now = spend(now);
    else {
      const place = lineUp(now, waited);
      now = place.purse;
      turns.push(place.turnMs);
    }
  }
  return { purse: now, spent: now.spent, turns };
}

describe('a token bucket', () => {
  it('is full before anybody has taken from it, fills at its rate, and never above its burst', () => {
    expect(tokensAt(null, budget, 0)).toBe(100);
    expect(tokensAt(bucket(0, 1_000), budget, 1_500)).toBe(25);
    expect(tokensAt(bucket(0, 1_000), budget, 60_000)).toBe(100);
  });

  it('is not changed by a clock that goes back, and cut to a burst that has become smaller', () => {
    expect(tokensAt(bucket(10, 5_000), budget, 1_000)).toBe(10);
    expect(tokensAt(bucket(90, 5_000), { perSecond: 1, burst: 5 }, 5_000)).toBe(5);
  });

  it('gives its burst, and then places one after the other at its rate', () => {
    const { spent, turns } = ask(purseOf(null, budget, 0), 104);
    expect(spent).toBe(100);
    expect(turns).toEqual([20, 40, 60, 80]);
  });

  it('lets nobody go before those who wait, and those who waited as soon as there is a token', () => {
    const waiting = purseOf(bucket(3, 1_000, 9_000), budget, 1_000);
    expect(hasToken(waiting, false)).toBe(false);
    expect(ask(waiting, 2).turns).toEqual([9_020, 9_040]);
    expect(ask(waiting, 5, true)).toMatchObject({ spent: 3, turns: [1_020, 1_040] });
  });

  it('has no line once it is full: those who waited have not come', () => {
    expect(hasToken(purseOf(bucket(50, 0, 90_000), budget, 1_000), false)).toBe(true);
    expect(hasToken(purseOf(bucket(50, 0, 90_000), budget, 999), false)).toBe(false);
  });

  it('takes minutes for one, where the rate is that low', () => {
    expect(ask(purseOf(null, { perSecond: 0.01, burst: 1 }, 0), 3)).toMatchObject({ spent: 1, turns: [100_000, 200_000] });
  });
});
