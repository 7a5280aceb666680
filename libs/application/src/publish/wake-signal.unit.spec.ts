import { describe, expect, it } from 'vitest';
import { pause, WakeSignal } from './wake-signal.js';

const LONG = 60_000;

describe('a wake-up signal', () => {
  it('wakes everybody who waits', async () => {
    const signal = new WakeSignal();
    const waits = [signal.wait(signal.version, LONG), signal.wait(signal.version, LONG)];
    signal.notify();
    expect(await Promise.all(waits)).toEqual([true, true]);
  });

  it('is not lost on who was still looking for work when it came', async () => {
    const signal = new WakeSignal();
    const seen = signal.version;
    signal.notify();
    expect(await signal.wait(seen, LONG)).toBe(true);
  });

  it('ends by time, and at once when it is given up', async () => {
    const signal = new WakeSignal();
    expect(await signal.wait(signal.version, 1)).toBe(false);
    const giveUp = new AbortController();
    const waiting = signal.wait(signal.version, LONG, giveUp.signal);
    giveUp.abort();
    expect(await waiting).toBe(false);
    expect(await signal.wait(signal.version, LONG, giveUp.signal)).toBe(false);
    await pause(LONG, giveUp.signal);
  });
});
