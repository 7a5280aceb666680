import { describe, expect, it } from 'vitest';
import { decided, failed, queued, released, started } from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';
import { gist, planFor } from './subject.fixture.js';

const asked = (attempt: number, n: number, over: object = {}): JobEvent =>
  decided(n, 'restart-requested', attempt, { reason: 'lost', seenMs: attempt * 1_000, laneMs: attempt * 1_000 + 500, ...over });
const again = (attempt: number, n: number): JobEvent => decided(n, 'requeued', attempt, { reason: 'lost', laneMs: attempt * 1_000 - 100 });
const run = (attempt: number): JobEvent => started(attempt, { laneMs: attempt * 1_000, leaseMs: 300, worker: { id: `w${String(attempt)}` } });

/** So many attempts, each begun by another worker and never heard of again; the last one has been asked to restart. */
function lost(times: number): JobEvent[] {
  const events: JobEvent[] = [queued()];
  for (let attempt = 1, n = 1; attempt <= times; attempt += 1) {
    if (attempt > 1) events.push(again(attempt, n++));
    events.push(run(attempt), asked(attempt, n++));
  }
  return events;
}

const after = (poisonAfter: number | null, maxRetries = 20) => ({ policy: { poisonAfter, maxRetries } });

describe('C1: a job whose workers die without a word', () => {
  it('is a poison pill at the third of them, with the owners in order', () => {
    expect(gist(planFor(lost(2), after(3)))).toContain('requeued 3 (lost)');
    const plan = planFor(lost(3), after(3));
    expect(gist(plan)).toContain('dead-lettered 3 (poison_pill)');
    expect(plan?.planned).toMatchObject({
      action: 'deadLetter',
      drafts: [{ evidence: { owners: [1, 2, 3].map((attempt) => ({ attempt, workers: [{ id: `w${String(attempt)}` }] })) } }],
    });
  });

  it('is one where that is off once its retries are used up, if every attempt ended so', () => {
    expect(gist(planFor(lost(3), after(null, 2)))).toContain('dead-lettered 3 (poison_pill)');
    const failedFirst = [queued(), run(1), failed(1), again(2, 1), run(2), asked(2, 2)];
    expect(gist(planFor(failedFirst, after(null, 1)))).toContain('dead-lettered 2 (lost)');
  });

  it('is none after one death, which says nothing, unless the policy says so', () => {
    expect(gist(planFor(lost(1), after(null, 0)))).toContain('dead-lettered 1 (lost)');
    expect(gist(planFor(lost(1), after(1)))).toContain('dead-lettered 1 (poison_pill)');
  });

  it('is none where an attempt between ended by itself, was let go, hung or was stopped by a person', () => {
    const between = (middle: readonly JobEvent[]) => [queued(), run(1), asked(1, 1), again(2, 2), run(2), ...middle, again(3, 4), run(3), asked(3, 5)];
    expect(gist(planFor(between([asked(2, 3)]), after(3)))).toContain('poison_pill');
    for (const middle of [[failed(2)], [asked(2, 3), released(2)], [asked(2, 3, { reason: 'hung' })], [asked(2, 3, { by: 'anna' })]]) {
      expect(gist(planFor(between(middle), after(3)))).toContain('requeued 4 (lost)');
    }
  });

  it('counts what a claim granted without a decision in between', () => {
    const claimedAnew = [queued(), run(1), again(2, 1), run(2), again(3, 2), run(3), asked(3, 3)];
    expect(gist(planFor(claimedAnew, after(3)))).toContain('dead-lettered 3 (poison_pill)');
  });

  it('begins anew with a redrive', () => {
    const redriven = [...lost(3), decided(6, 'dead-lettered', 3, { reason: 'poison_pill' }), decided(7, 'redriven', 3), again(4, 8), run(4), asked(4, 9)];
    expect(gist(planFor(redriven, after(3)))).toContain('requeued 5 (lost)');
    const twice = [...redriven, again(5, 10), run(5), asked(5, 11)];
    expect(gist(planFor(twice, after(2)))).toContain('dead-lettered 5 (poison_pill)');
  });
});
