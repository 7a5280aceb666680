import { describe, expect, it } from 'vitest';
import { HotKeys } from './hot-keys.js';

describe('the busiest keys', () => {
  it('are counted exactly while they fit', () => {
    const keys = new HotKeys({ now: () => 0 });
    for (let i = 0; i < 90; i++) keys.add('busy');
    keys.add('quiet', 10);
    keys.add('rare');
    expect(keys.top(2)).toEqual([
      ['busy', 90],
      ['quiet', 10],
    ]);
  });

  it('keep the one with most of the events, among any number of others, and never count it too low (D9)', () => {
    const keys = new HotKeys({ capacity: 16, now: () => 0 });
    for (let i = 0; i < 20_000; i++) keys.add(i % 10 === 0 ? `other-${String(i)}` : 'busy');
    const [first, ...rest] = keys.top(10);
    expect(first?.[0]).toBe('busy');
    expect(first?.[1]).toBeGreaterThanOrEqual(18_000);
    expect(rest).toHaveLength(9);
  });

  it('forget what is older than the window, a part at a time', () => {
    let nowMs = 0;
    const keys = new HotKeys({ windowMs: 60_000, now: () => nowMs });
    keys.add('early', 5);
    nowMs = 30_000;
    keys.add('late', 1);
    expect(keys.top(1)).toEqual([['early', 5]]);
    nowMs = 60_000;
    expect(keys.top(10)).toEqual([['late', 1]]);
    nowMs = 200_000;
    expect(keys.top(10)).toEqual([]);
  });

  it('take a bounded space however long they are counted', () => {
    let nowMs = 0;
    const keys = new HotKeys({ capacity: 4, windowMs: 600, now: () => (nowMs += 1) });
    for (let i = 0; i < 5_000; i++) keys.add(String(i));
    expect(keys.top(1_000_000).length).toBeLessThanOrEqual(4 * 7);
  });
});
