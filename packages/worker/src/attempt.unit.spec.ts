import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Attempt, type AttemptParts } from './attempt.js';
import { sharedNowMs } from './beats/shared.js';
import type { Job } from './spec.js';

const LEASE_MS = 30_000;

describe('an attempt whose process was halted', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['hrtime'] }));
  afterEach(() => void vi.useRealTimers());

  /** What the handler sees of its signal right after the halt, before any timer or message has come. */
  async function seen(look: (job: Job) => unknown, { onLeaseLost = 'stop', beats = () => 0 }: { onLeaseLost?: 'run' | 'stop'; beats?: () => number } = {}) {
    const settings = { stopGraceMs: 1_000, onLeaseLost, snapshot: false, emitter: { ask: () => Promise.resolve(null) } };
    const parts = {
      ...{ settings, spec: { queue: 'q', id: 'j' }, worker: { id: 'w' }, span: undefined, claiming: null, renewedMs: beats },
      beats: { hold: () => undefined, letGo: () => undefined },
      granted: { attempt: 1, token: 7, leaseMs: LEASE_MS, invalidation: undefined, command: undefined, claimed: true },
    } as unknown as AttemptParts;
    let aborted: unknown = null;
    await new Attempt(parts).run((job) => {
      const { signal } = job;
      expect(signal.aborted).toBe(false);
      vi.advanceTimersByTime(LEASE_MS + 1);
      look(job);
      aborted = signal.aborted;
      return Promise.resolve();
    });
    return aborted;
  }

  it.each([
    ['its signal', (job: Job) => job.signal],
    ['its token', (job: Job) => job.token],
  ])('finds its lease over when it looks at %s', async (_, look) => {
    expect(await seen(look)).toBe(true);
  });

  it('goes on where it is to, and where its thread has beaten for it meanwhile', async () => {
    const look = (job: Job) => job.signal;
    expect(await seen(look, { onLeaseLost: 'run' })).toBe(false);
    expect(await seen(look, { beats: () => sharedNowMs() - 10_000 })).toBe(false);
  });
});
