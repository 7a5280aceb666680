import { describe, expect, it } from 'vitest';
import type { Decision } from '../events/decisions.js';
import { decided, failed, failedForGood, queued, released, started, succeeded } from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';
import { gist, planFor, type Circumstances } from './subject.fixture.js';
import { tokenOf } from '../events/token.js';

const beat = (beatMs: number): Circumstances => ({ lease: { beatMs, leaseMs: null } });

/** Started at 100, last seen at 250, asked to restart at 600. */
function asked(reason: string, over: Partial<Decision> = {}): JobEvent[] {
  const request = decided(1, 'restart-requested', 1, { reason, seenMs: 250, laneMs: 600, ...over });
  return [queued(), started(1, { laneMs: 100, leaseMs: 300 }), request];
}

describe('a job that was asked to restart', () => {
  it('has its grace, then is requeued with the next attempt and a higher token, without backoff', () => {
    const plan = planFor(asked('lost'), { ...beat(250), epoch: 4 });
    expect(gist(plan)).toBe('at 750 after grace: requeued 2 (lost)');
    expect(plan?.gated).toBe(true);
    expect(plan?.planned).toMatchObject({ action: 'requeue', drafts: [{ token: tokenOf(4, 2), previousWorker: { id: 'w1' } }] });
  });

  it('is dead-lettered at the grace end when its retries are used up', () => {
    expect(gist(planFor(asked('lost'), { policy: { maxRetries: 0 } }))).toBe('at 750 after grace: dead-lettered 1 (lost)');
  });

  it('needs no grace once its worker has let go', () => {
    const letGo = [...asked('hung'), released(1, { laneMs: 640 })];
    expect(gist(planFor(letGo, beat(630)))).toBe('at 600 after decision: requeued 2 (hung)');
  });

  it('has its grace again in full after a gap, where it was silence that was judged', () => {
    expect(gist(planFor(asked('lost'), { gapEndMs: 2_000 }))).toContain('at 2150 after grace');
    expect(gist(planFor(asked('hung'), { gapEndMs: 2_000 }))).toContain('at 750 after grace');
  });

  it('goes as a failure does once its attempt has failed', () => {
    expect(gist(planFor([...asked('lost'), failed(1, { laneMs: 650 })]))).toContain('retry-scheduled 1 (failed)');
    expect(gist(planFor([...asked('lost'), failedForGood(1, { laneMs: 650 })]))).toContain('dead-lettered 1 (failed)');
  });
});

describe('a job whose payload was erased', () => {
  const gone = [queued({ payload: { hash: 'a'.repeat(64), bytes: 2 } }), started(1, { laneMs: 100, leaseMs: 300 }), decided(1, 'payload-erased', 1)];
  const asking = decided(2, 'restart-requested', 1, { reason: 'lost', seenMs: 250, laneMs: 600 });

  it('is held where it would be requeued, and never looked at again for it', () => {
    const plan = planFor([...gone, asking]);
    expect(gist(plan)).toContain('held-incomplete 1 (lost)');
    expect(plan?.planned).toMatchObject({ drafts: [{ evidence: { missing: 'payload' } }] });
    expect(planFor([...gone, asking, decided(3, 'held-incomplete', 1, { reason: 'lost', laneMs: 800 })])).toBeNull();
  });

  it('goes on where the payload lies elsewhere, and dies as others do', () => {
    const elsewhere = [queued({ payload: { ref: 's3://bucket/1' } }), ...gone.slice(1), asking];
    expect(gist(planFor(elsewhere))).toContain('requeued 2');
    expect(gist(planFor([...gone, asking], { policy: { maxRetries: 0 } }))).toContain('dead-lettered 1');
  });
});

describe('a sign of life', () => {
  it('withdraws a lost when it is newer than what the request had seen', () => {
    expect(gist(planFor(asked('lost'), beat(251)))).toBe('at 251 after decision: restart-withdrawn 1 (heartbeat)');
    expect(gist(planFor(asked('lost'), beat(250)))).toContain('requeued 2');
    const startedAgain = [...asked('lost'), started(1, { laneMs: 610, worker: { id: 'copy' } })];
    expect(gist(planFor(startedAgain))).toContain('restart-withdrawn 1');
  });

  it('does not withdraw a hung, nor what a person asked for', () => {
    expect(gist(planFor(asked('hung'), beat(700)))).toContain('requeued 2 (hung)');
    expect(gist(planFor(asked('lost', { by: 'anna' }), beat(700)))).toContain('requeued 2 (lost)');
  });

  it('counts for nothing where the policy takes no heartbeats', () => {
    expect(gist(planFor(asked('lost'), { ...beat(700), policy: { heartbeats: 'none' } }))).toContain('requeued 2');
  });

  it('does not withdraw by what was seen of a start that was only inferred', () => {
    const inferred = [queued(), decided(1, 'restart-requested', 1, { reason: 'lost', seenMs: 100, laneMs: 600 })];
    expect(gist(planFor(inferred, { policy: { heartbeats: 'expected' } }))).toContain('requeued 2');
  });
});

describe('what a person asked for', () => {
  it('goes out at every level, the requeue that follows too, and keeps who asked', () => {
    const plan = planFor(asked('slow', { by: 'anna' }));
    expect(plan?.planned).toMatchObject({ action: null, drafts: [{ kind: 'requeued', by: 'anna' }] });
  });

  it('stays bounded by the retries all the same', () => {
    const plan = planFor(asked('slow', { by: 'anna' }), { policy: { maxRetries: 0 } });
    expect(plan?.planned).toMatchObject({ action: null, drafts: [{ kind: 'dead-lettered' }] });
  });
});

describe('a requeue that is due while there is nothing to requeue with', () => {
  const withoutQueued = (reason: string) => asked(reason).slice(1);
  const held = (reason: string, seenMs = 250): JobEvent[] => [
    ...withoutQueued(reason),
    decided(2, 'held-incomplete', 1, { reason, seenMs, laneMs: 750 }),
  ];

  it('is held as incomplete, and remembers all that was seen', () => {
    const plan = planFor([...withoutQueued('hung'), started(1, { laneMs: 640, id: 'again' })], beat(630));
    expect(gist(plan)).toBe('at 750 after grace: held-incomplete 1 (hung)');
    expect(plan?.planned).toMatchObject({ drafts: [{ seenMs: 640 }] });
  });

  it('rests until what is missing comes, then is requeued', () => {
    expect(planFor(held('lost'))).toBeNull();
    expect(gist(planFor([...held('lost'), queued({ laneMs: 900 })]))).toBe('at 750 after queued: requeued 2 (lost)');
  });

  it('waits for the backoff too where its attempt has failed meanwhile, unless its retries are used up', () => {
    const late = [...held('lost'), failed(1, { laneMs: 900 }), queued({ laneMs: 950 })];
    expect(gist(planFor(late))).toBe('at 1900 after backoff: requeued 2 (lost)');
    const asked = [...held('lost'), failed(1, { laneMs: 900, retryAfterMs: 5_000 }), queued({ laneMs: 950 })];
    expect(gist(planFor(asked))).toBe('at 5900 after backoff: requeued 2 (lost)');
    expect(gist(planFor(late, { policy: { maxRetries: 0 } }))).toBe('at 750 after queued: dead-lettered 1 (lost)');
  });

  it('is withdrawn by a heartbeat as a lost is, but not when it was hung or its attempt has ended', () => {
    expect(gist(planFor(held('lost'), beat(800)))).toContain('restart-withdrawn 1');
    expect(gist(planFor(held('released'), beat(800)))).toContain('restart-withdrawn 1');
    expect(planFor(held('hung'), beat(800))).toBeNull();
    expect(planFor([...held('lost'), failed(1, { laneMs: 790 })], beat(800))).toBeNull();
  });

  it('is not withdrawn by the start that the hold itself had seen', () => {
    const letGo = [started(1, { laneMs: 100 }), started(1, { laneMs: 180, id: 'again' }), released(1, { laneMs: 200 })];
    const plan = planFor(letGo, { policy: { heartbeats: 'expected' } });
    expect(gist(plan)).toBe('at 200 after decision: held-incomplete 1 (released)');
    const draft = plan?.planned.kind === 'decide' ? plan.planned.drafts[0] : undefined;
    const after = [...letGo, decided(1, 'held-incomplete', 1, { ...draft, laneMs: 200 })];
    expect(planFor(after, { policy: { heartbeats: 'expected' } })).toBeNull();
  });

  it('gives way to an attempt that the queue has begun by itself', () => {
    const begun = [...held('hung'), started(2, { ownerQueue: true, laneMs: 900 })];
    expect(gist(planFor(begun))).toBe('at 750 after decision: restart-withdrawn 2 (newer_attempt)');
  });

  it('ends by a success, and is dead-lettered by a failure for good', () => {
    expect(planFor([...held('lost'), succeeded(1, { laneMs: 800 })])).toBeNull();
    expect(gist(planFor([...held('lost'), failedForGood(1, { laneMs: 800 })]))).toContain('dead-lettered 1 (failed)');
  });

  it('keeps to the request of a person when it comes', () => {
    const byAnna = decided(2, 'held-incomplete', 1, { reason: 'slow', by: 'anna', laneMs: 750 });
    const plan = planFor([...withoutQueued('slow'), byAnna, queued({ laneMs: 900 })]);
    expect(plan?.planned).toMatchObject({ action: null, drafts: [{ kind: 'requeued', by: 'anna' }] });
  });
});

describe('a queue that recovers by itself (owner: queue)', () => {
  const policy = { owner: 'queue', ownerWaitMs: 2_000 } as const;

  it('has its wait before anything is requeued', () => {
    expect(gist(planFor(asked('lost'), { policy }))).toBe('at 2600 after owner: requeued 2 (lost)');
    expect(gist(planFor(asked('slow', { by: 'anna' }), { policy }))).toContain('at 750 after grace');
    const letGo = [queued(), started(1, { laneMs: 100 }), released(1, { laneMs: 200 })];
    expect(gist(planFor(letGo, { policy }))).toBe('at 2200 after owner: requeued 2 (released)');
  });

  it('is followed to its own next attempt', () => {
    const next = [...asked('lost'), started(2, { laneMs: 700, leaseMs: 300, ownerQueue: true })];
    expect(gist(planFor(next, { policy }))).toBe('at 1000 after lease: restart-requested 2 (lost)');
  });
});
