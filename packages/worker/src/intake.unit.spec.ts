import { describe, expect, it } from 'vitest';
import { Gates } from './gates.js';
import { intake } from './intake.js';

describe('who puts jobs into a queue', () => {
  let nowMs = 0;
  let gate: object = { gate: 'open' };
  const gates = (): Gates => {
    nowMs = 0;
    return new Gates({ queue: () => Promise.resolve({ queue: 'q', gate } as never) }, () => nowMs);
  };
  const at = async (ms: number, of: Gates, places: number, whenPaused: 'delay' | 'reject' | 'ignore' = 'reject') => {
    nowMs = ms;
    return await intake('q', places, { whenPaused }, of).then(() => 'in', (error: unknown) => error);
  };

  it('is kept out of a paused queue, and told when to come again; who does not ask is not', async () => {
    gate = { gate: 'paused' };
    const of = gates();
    expect(await at(0, of, 1)).toMatchObject({ name: 'QueueClosedError', code: 'paused', queue: 'q', retryAfterMs: 5_000 });
    expect(await at(0, of, 1, 'ignore')).toBe('in');
  });

  it('passes a throttled queue as often as it lets, many at once for as long as they take', async () => {
    gate = { gate: 'throttled', perSecond: 2 };
    const of = gates();
    expect(await at(0, of, 1)).toBe('in');
    expect(await at(499, of, 1)).toMatchObject({ code: 'throttled', retryAfterMs: 1 });
    expect(await at(500, of, 10)).toBe('in');
    expect(await at(5_499, of, 1)).toMatchObject({ code: 'throttled', retryAfterMs: 1 });
    expect(await at(5_500, of, 1)).toBe('in');
  });

  it('is not kept waiting for what many took at once by a rate that has been raised since', async () => {
    gate = { gate: 'throttled', perSecond: 0.1 };
    const of = gates();
    expect(await at(0, of, 1_000)).toBe('in');
    gate = { gate: 'throttled', perSecond: 100 };
    expect(await at(1_000, of, 1)).toMatchObject({ code: 'throttled', retryAfterMs: 9_000 });
    expect(await at(10_000, of, 1)).toBe('in');
  });

  it('is let in where nobody can be asked, and ends its waiting by its signal', async () => {
    const away = new Gates({ queue: () => Promise.reject(new Error('away')) });
    await expect(intake('q', 1, {}, away)).resolves.toBeUndefined();
    gate = { gate: 'paused' };
    const ended = AbortSignal.abort(new Error('we close'));
    await expect(intake('q', 1, { signal: ended }, gates())).rejects.toThrow('we close');
  });
});
