import { describe, expect, it } from 'vitest';
import { decided, failed, failedForGood, queued, started } from '../events/events.fixture.js';
import { foldJob, type JobEvent } from '../fold/fold.js';
import { numbered } from '../intake/intake.js';
import { stateFromJson, stateToJson } from '../fold/state-json.js';
import { gist, planFor, subjectOf } from './subject.fixture.js';
import { planOf } from './plan.js';
import { viewOf } from '../view/view.js';

const history = [queued(), started(1, { laneMs: 100 })];

describe('an attempt that failed', () => {
  it('is scheduled for a retry at once when it may be retried and retries are left', () => {
    const plan = planFor([...history, failed(1, { laneMs: 200 })]);
    expect(gist(plan)).toBe('at 200 after decision: retry-scheduled 1 (failed)');
    expect(plan?.planned).toMatchObject({ action: 'retry', drafts: [{ dueMs: 1_200 }] });
  });

  it('is dead-lettered at once when it failed for good, or no retries are left', () => {
    const forGood = planFor([...history, failedForGood(1, { laneMs: 200 })]);
    expect(gist(forGood)).toBe('at 200 after decision: dead-lettered 1 (failed)');
    expect(forGood?.planned).toMatchObject({ action: 'deadLetter' });
    const usedUp = planFor([...history, failed(1, { laneMs: 200 })], { policy: { maxRetries: 0 } });
    expect(gist(usedUp)).toContain('dead-lettered 1');
  });

  it('takes the whole chain of attempts into the dead letter', () => {
    const events = [
      ...history,
      decided(1, 'restart-requested', 1, { reason: 'lost' }),
      decided(2, 'requeued', 2),
      started(2),
      failedForGood(2, { error: { class: 'TypeError', message: 'x' } }),
    ];
    const plan = planFor(events);
    expect(plan?.planned).toMatchObject({
      drafts: [
        {
          evidence: {
            retriesUsed: 1,
            chain: [
              { attempt: 1, workers: [{ id: 'w1' }], outcome: 'lost' },
              { attempt: 2, workers: [{ id: 'w2' }], outcome: 'failed-for-good', error: { class: 'TypeError' } },
            ],
          },
        },
      ],
    });
  });

  it('is left to a queue that retries by itself until its wait is over, unless the queue gave up', () => {
    const policy = { owner: 'queue', ownerWaitMs: 2_000 } as const;
    const plan = planFor([...history, failed(1, { laneMs: 200 })], { policy });
    expect(gist(plan)).toBe('at 2200 after owner: retry-scheduled 1 (failed)');
    expect(plan?.gated).toBe(true);
    expect(gist(planFor([...history, failedForGood(1, { laneMs: 200 })], { policy }))).toContain('at 200 after decision');
  });

  it('is left to such a queue for its own backoff too, which it says with the failure', () => {
    const policy = { owner: 'queue', ownerWaitMs: 2_000 } as const;
    const plan = planFor([...history, failed(1, { laneMs: 200, retryAfterMs: 600_000 })], { policy });
    expect(gist(plan)).toBe('at 602200 after owner: retry-scheduled 1 (failed)');
  });
});

describe('the backoff', () => {
  function delayOf(k: number, retryAfterMs: number, spread = 0, jitter = 0): number {
    const grants = Array.from({ length: k - 1 }, (_, i) => decided(i + 1, 'requeued', i + 2));
    const events = [queued(), ...grants, failed(k, { laneMs: 0, retryAfterMs })];
    const backoff = { initialMs: 1_000, factor: 2, maxMs: 5_000, jitter };
    const plan = planFor(events, { policy: { maxRetries: 100, backoff }, spread });
    return plan?.planned.kind === 'decide' ? (plan.planned.drafts[0]?.dueMs ?? NaN) : NaN;
  }

  it('grows by its factor with each retry, up to its maximum', () => {
    expect([1, 2, 3, 4, 5, 60].map((k) => delayOf(k, 0))).toEqual([1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
  });

  it('is never shorter than what the failure asked for, even beyond the maximum', () => {
    expect(delayOf(1, 60_000)).toBe(60_000);
    expect(delayOf(3, 1_500)).toBe(4_000);
  });

  it('is spread by its jitter, upwards only', () => {
    expect(delayOf(1, 60_000, 0.5, 0.2)).toBe(66_000);
    expect(delayOf(1, 0, 0.99, 0.2)).toBe(1_198);
  });

  it('is what a scheduled retry waits for, behind the watermark', () => {
    const plan = planFor([...history, failed(), decided(1, 'retry-scheduled', 1, { dueMs: 1_700 })]);
    expect(gist(plan)).toBe('at 1700 after backoff: requeued 2 (backoff)');
    expect(plan).toMatchObject({ gated: true, planned: { action: 'retry' } });
  });
});

describe('bounded retries (C3)', () => {
  /** The worker dies in every attempt; every decision is made by a reconciler that has just read the row anew. */
  it('give five attempts exactly five starts, then a dead letter, with nothing counted but the log', () => {
    const log: JobEvent[] = [queued()];
    let nowMs = 0;
    let starts = 0;
    for (let round = 0; round < 100; round += 1) {
      const state = stateFromJson(stateToJson(foldJob(log)));
      const view = viewOf(state);
      if (view.status === 'dead-lettered') break;
      if (view.status === 'queued' || view.status === 'requeued') {
        starts += 1;
        log.push(started(view.attempt, { laneMs: nowMs, leaseMs: 300 }));
        continue;
      }
      const plan = planOf(subjectOf(log, { policy: { maxRetries: 4 } }), nowMs);
      if (plan?.planned.kind !== 'decide') throw new Error(`no way on from ${view.status}`);
      nowMs = Math.max(nowMs, plan.dueMs);
      plan.planned.drafts.forEach((draft, i) => log.push(numbered(draft, view.n + 1 + i, nowMs)));
    }
    expect(starts).toBe(5);
    expect(viewOf(foldJob(log))).toMatchObject({ status: 'dead-lettered', attempt: 5 });
  });
});
