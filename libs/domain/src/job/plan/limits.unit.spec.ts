import { describe, expect, it } from 'vitest';
import { decided, job, queued } from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';
import { limitsOf } from './limits.js';
import { POLICY } from './subject.fixture.js';

const policy = { ...POLICY, maxRetries: 3, hardTimeoutMs: 1_000 };
const LEARNED = { ms: 7_000, from: 'queue', samples: 90, longer: 0, quantile: 0.99, quantileMs: 3_500, factor: 2 } as const;

function limits(...events: readonly JobEvent[]) {
  return limitsOf(job(...events), policy, { hardTimeout: 'kind', lease: 'queue' }, null);
}

describe('the limits of a job', () => {
  it('are the policy’s, and say where they were written', () => {
    expect(limits(queued())).toMatchObject({
      maxRetries: 3,
      hardTimeout: { source: 'kind', ms: 1_000 },
      lease: { source: 'queue', ms: 300 },
    });
  });

  it('are the job’s own where it has any', () => {
    expect(limits(queued({ maxRetries: 0, timeoutMs: 50 }))).toMatchObject({
      maxRetries: 0,
      hardTimeout: { source: 'job', ms: 50 },
    });
  });

  it('are what an operator changed them to; a change of one leaves the change of another in force', () => {
    const raised = decided(1, 'limits-changed', 1, { limits: { maxRetries: 9 } });
    const longer = decided(2, 'limits-changed', 1, { limits: { timeoutMs: 70 } });
    const lowered = decided(3, 'limits-changed', 1, { limits: { maxRetries: 1 } });
    expect(limits(queued({ maxRetries: 0 }), raised, longer)).toMatchObject({ maxRetries: 9, hardTimeout: { ms: 70 } });
    expect(limits(queued(), lowered, longer, raised)).toMatchObject({ maxRetries: 1, hardTimeout: { ms: 70 } });
  });

  it('learn how long stuck is, until then an hour, unless a figure is set', () => {
    const learned = { ...POLICY, stuckAfter: { mode: 'learned' } as const };
    expect(limitsOf(job(queued()), learned, {}, null).stuckAfter).toEqual({ source: 'default', ms: 3_600_000 });
    expect(limitsOf(job(queued()), learned, {}, LEARNED).stuckAfter).toEqual({ source: 'learned', ms: 7_000 });
    expect(limits(queued()).stuckAfter).toEqual({ source: 'default', ms: 10_000 });
  });
});

/** Each level set, and all below it: the most specific one is used, and named. */
describe('the threshold that applies', () => {
  const learning = { ...POLICY, stuckAfter: { mode: 'learned' } as const };
  const fixed = { ...POLICY, stuckAfter: { mode: 'fixed', ms: 60_000 } as const };
  it.each([
    ['its kind’s', limitsOf(job(queued()), { ...fixed, stuckAfter: { mode: 'fixed', ms: 120_000 } }, { stuckAfter: 'kind' }, LEARNED), 'kind', 120_000],
    ['its queue’s', limitsOf(job(queued()), fixed, { stuckAfter: 'queue' }, LEARNED), 'queue', 60_000],
    ['what was learned', limitsOf(job(queued()), learning, {}, LEARNED), 'learned', 7_000],
    ['the default', limitsOf(job(queued()), learning, {}, null), 'default', 3_600_000],
    ['the file’s default', limitsOf(job(queued()), fixed, { stuckAfter: 'default' }, LEARNED), 'default', 60_000],
  ] as const)('of a run without a lease is %s', (_, found, source, ms) => {
    expect(found.stuckAfter).toEqual({ source, ms });
  });

  it.each([
    ['the job’s own', queued({ timeoutMs: 50 }), { hardTimeout: 'kind' }, { source: 'job', ms: 50 }],
    ['its kind’s', queued(), { hardTimeout: 'kind' }, { source: 'kind', ms: 1_000 }],
    ['its queue’s', queued(), { hardTimeout: 'queue' }, { source: 'queue', ms: 1_000 }],
    ['the default', queued(), {}, { source: 'default', ms: 1_000 }],
  ] as const)('of a whole run is %s', (_, event, sources, threshold) => {
    expect(limitsOf(job(event), policy, sources, LEARNED).hardTimeout).toEqual(threshold);
  });

  it('is nothing that was learned where the policy names a figure, or nothing', () => {
    expect(limitsOf(job(queued()), fixed, {}, LEARNED).learned).toBeNull();
    expect(limitsOf(job(queued()), { ...POLICY, stuckAfter: { mode: 'off' } }, {}, LEARNED)).toMatchObject({ stuckAfter: null, learned: null });
  });
});

describe('a lease of a job that was suspected wrongly', () => {
  const wrongly = (n: number, attempt: number) => [
    decided(n, 'restart-requested', attempt, { reason: 'lost', by: 'jobwarden' }),
    decided(n + 1, 'restart-withdrawn', attempt, { reason: 'heartbeat', by: 'jobwarden' }),
  ];

  it('is twice as long for each attempt that beat again, up to eight times', () => {
    const events = [queued(), ...wrongly(1, 1), ...wrongly(3, 2), ...wrongly(5, 3), ...wrongly(7, 4)];
    expect([0, 2, 4, 6, 8].map((n) => limits(...events.slice(0, n + 1)).lease.ms)).toEqual([300, 600, 1_200, 2_400, 2_400]);
    expect(limits(...events).lease.source).toBe('queue');
  });

  it('is no longer where the suspicion proved right, or a newer attempt answered it', () => {
    const newer = decided(2, 'restart-withdrawn', 1, { reason: 'newer_attempt', by: 'jobwarden' });
    expect(limits(queued(), wrongly(1, 1)[0] ?? newer, newer).lease.ms).toBe(300);
  });
});
