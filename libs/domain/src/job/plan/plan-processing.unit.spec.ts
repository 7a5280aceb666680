import { describe, expect, it } from 'vitest';
import { decided, queued, released, renewalFailed, started } from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';
import type { Plan } from './plan.js';
import { gist, planFor } from './subject.fixture.js';

/** Started at 100 with the policy's lease of 300. */
const running = [queued(), started(1, { laneMs: 100 })];
const leased = [queued(), started(1, { laneMs: 100, leaseMs: 300 })];

const LEARNED = { ms: 7_000, from: 'kind', samples: 90, longer: 2, quantile: 0.99, quantileMs: 3_500, factor: 2 } as const;

function decisionOf(plan: Plan | null) {
  return plan?.planned.kind === 'decide' ? plan.planned : null;
}

describe('a running attempt under a lease', () => {
  it('is lost when the lease ends after its start, or after its last heartbeat', () => {
    expect(gist(planFor(leased))).toBe('at 400 after lease: restart-requested 1 (lost)');
    const lease = { beatMs: 250, leaseMs: null };
    expect(gist(planFor(leased, { lease }))).toBe('at 550 after lease: restart-requested 1 (lost)');
  });

  it('comes under a lease by its first heartbeat, and keeps the length that it asked for', () => {
    expect(gist(planFor(running, { lease: { beatMs: 250, leaseMs: null } }))).toContain('at 550 after lease');
    expect(gist(planFor(running, { lease: { beatMs: 250, leaseMs: 50 } }))).toContain('at 300 after lease');
  });

  it('is under a lease at once where heartbeats are expected, and never where there are none', () => {
    expect(gist(planFor(running, { policy: { heartbeats: 'expected' } }))).toContain('at 400 after lease');
    const none = planFor(leased, { policy: { heartbeats: 'none' }, lease: { beatMs: 250, leaseMs: 50 } });
    expect(gist(none)).toContain('at 10100 after stuck-after');
  });

  it('runs its lease again in full after a gap in which nobody could have read a heartbeat', () => {
    expect(gist(planFor(leased, { gapEndMs: 1_000 }))).toContain('at 1300 after lease');
  });

  it('is not kept alive by failed lease renewals: they extend nothing', () => {
    const failing = [...leased, renewalFailed(1, { laneMs: 390 })];
    expect(gist(planFor(failing))).toContain('at 400 after lease');
  });

  it('has a longer one once it was taken for lost and beat again, and says so when that passes too', () => {
    const wrongly = [
      decided(1, 'restart-requested', 1, { reason: 'lost', by: 'jobwarden', seenMs: 100, laneMs: 400 }),
      decided(2, 'restart-withdrawn', 1, { reason: 'heartbeat', by: 'jobwarden', laneMs: 450 }),
    ];
    const plan = planFor([...running, ...wrongly], { lease: { beatMs: 440, leaseMs: null } });
    expect(gist(plan)).toBe('at 1040 after lease: restart-requested 1 (lost)');
    expect(decisionOf(plan)?.drafts[0]?.evidence).toMatchObject({ wronglySuspected: 1, leaseMs: 300 });
    // What the emitter declares is its own affair.
    expect(gist(planFor([...leased, ...wrongly], { lease: { beatMs: 440, leaseMs: 300 } }))).toContain('at 740 after lease');
  });

  it('is decided only behind the watermark, with the threshold that applied and what was seen', () => {
    const plan = planFor(leased, { lease: { beatMs: 250, leaseMs: null } });
    expect(plan?.gated).toBe(true);
    expect(decisionOf(plan)).toMatchObject({ action: 'requeue', verdict: 'lost', threshold: { source: 'job', ms: 300 } });
    expect(decisionOf(plan)?.drafts[0]).toMatchObject({ seenMs: 250, previousWorker: { id: 'w1' } });
  });
});

describe('a running attempt without a lease', () => {
  it('is lost when it is stuck for longer than the threshold since its start', () => {
    expect(gist(planFor(running))).toBe('at 10100 after stuck-after: restart-requested 1 (lost)');
  });

  it('by what history teaches, with what that rests on', () => {
    const plan = planFor(running, { policy: { stuckAfter: { mode: 'learned' } }, learned: LEARNED });
    expect(gist(plan)).toBe('at 7100 after stuck-after: restart-requested 1 (lost)');
    expect(decisionOf(plan)).toMatchObject({ threshold: { source: 'learned', ms: 7_000 } });
    expect(decisionOf(plan)?.drafts[0]?.evidence).toMatchObject({ learned: LEARNED });
    expect(decisionOf(planFor(running, { learned: LEARNED }))?.drafts[0]?.evidence).not.toHaveProperty('learned');
  });

  it('rests where that is off: nothing is known that could be judged', () => {
    expect(planFor(running, { policy: { stuckAfter: { mode: 'off' } } })).toBeNull();
  });
});

describe('lost and hung are told apart (A7)', () => {
  const policy = { hardTimeoutMs: 1_000 };
  const fresh = { beatMs: 1_050, leaseMs: null };

  it('is hung when the heartbeats are fresh but the hard timeout since its first start has passed', () => {
    const plan = planFor(leased, { policy, lease: fresh });
    expect(gist(plan)).toBe('at 1100 after hard-timeout: restart-requested 1 (hung)');
    expect(decisionOf(plan)).toMatchObject({ verdict: 'hung', threshold: { ms: 1_000 } });
  });

  it('is lost when it fell silent before that', () => {
    expect(gist(planFor(leased, { policy, lease: { beatMs: 600, leaseMs: null } }))).toContain('at 900 after lease');
  });

  it('counts the hard timeout from the first claim or start, not from a second one', () => {
    const twice = [...leased, started(1, { laneMs: 900, worker: { id: 'copy' } })];
    expect(gist(planFor(twice, { policy, lease: fresh }))).toContain('at 1100 after hard-timeout');
  });

  it('takes the job’s own timeout over the policy’s', () => {
    const own = [queued({ timeoutMs: 500 }), started(1, { laneMs: 100 })];
    const plan = planFor(own, { policy, lease: fresh });
    expect(gist(plan)).toContain('at 600 after hard-timeout');
    expect(decisionOf(plan)?.threshold).toEqual({ source: 'job', ms: 500 });
  });
});

describe('a worker that lets go', () => {
  it('needs no waiting: the job is requeued at once, and that counts as a retry', () => {
    const letGo = [...leased, released(1, { laneMs: 200 })];
    expect(gist(planFor(letGo))).toBe('at 200 after decision: requeued 2 (released)');
    const noRetries = planFor(letGo, { policy: { maxRetries: 0 } });
    expect(gist(noRetries)).toBe('at 200 after decision: dead-lettered 1 (released)');
  });

  it('is followed by whoever takes the same attempt up again', () => {
    const takenUp = [...leased, released(1, { laneMs: 200 }), started(1, { laneMs: 210, id: 'again' })];
    expect(gist(planFor(takenUp))).toContain('at 510 after lease');
    const beating = planFor([...leased, released(1, { laneMs: 200 })], { lease: { beatMs: 220, leaseMs: null } });
    expect(gist(beating)).toContain('at 520 after lease');
  });
});

describe('elapsed time knows no time zone (G2)', () => {
  // New York: clocks go from 2:00 to 3:00, and back from 2:00 to 1:00.
  const changes = { 'spring, a day of 23 hours': Date.UTC(2026, 2, 8, 6, 59), 'autumn, a day of 25': Date.UTC(2026, 10, 1, 5, 59) };
  const HOUR_MS = 3_600_000;

  function inNewYork<T>(run: () => T): T {
    const before = process.env['TZ'];
    process.env['TZ'] = 'America/New_York';
    try {
      return run();
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  }

  it.each(Object.entries(changes))('lease, grace and backoff are as long across %s as on any other', (_, startMs) => {
    const leaseMs = 24 * HOUR_MS;
    const history: JobEvent[] = [queued({ laneMs: startMs }), started(1, { laneMs: startMs, leaseMs })];
    const restart = decided(1, 'restart-requested', 1, { reason: 'lost', laneMs: startMs });
    const policy = { graceMs: 24 * HOUR_MS };
    const [lost, grace, wallClock] = inNewYork(() => [
      planFor(history)?.dueMs,
      planFor([...history, restart], { policy })?.dueMs,
      nextDayByTheWall(startMs),
    ]);
    expect(lost).toBe(startMs + leaseMs);
    expect(grace).toBe(startMs + leaseMs);
    // The twin that reckons by the wall clock is an hour off, so the change of clocks did take place.
    expect(wallClock).not.toBe(startMs + leaseMs);
  });

  function nextDayByTheWall(ms: number): number {
    const date = new Date(ms);
    return date.setDate(date.getDate() + 1);
  }
});
