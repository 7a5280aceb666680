import { describe, expect, it } from 'vitest';
import { decided, job, queued } from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';
import { limitsOf } from './limits.js';
import { POLICY } from './subject.fixture.js';

const policy = { ...POLICY, maxRetries: 3, hardTimeoutMs: 1_000 };

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
    expect(limitsOf(job(queued()), learned, {}, 7_000).stuckAfter).toEqual({ source: 'learned', ms: 7_000 });
    expect(limits(queued()).stuckAfter).toEqual({ source: 'default', ms: 10_000 });
  });
});
