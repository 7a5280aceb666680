import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { podReasons, rolledOut, type Rollout } from './rolled-out.js';
import { backAt, pods, seenOf, writtenV1 } from './workload.fixture.js';
import type { Scaler, WorkloadSeen, WorkloadWritten } from './workload.js';

const asked = (seen: WorkloadSeen, more: Partial<WorkloadWritten> = {}, nowMs = 2_000): Rollout =>
  rolledOut(seen, { written: writtenV1(more), bad: ['v2'], nowMs, deadlineMs: 120_000 });

describe('a rollout is done', () => {
  it('once everything holds in one look', () => {
    expect(asked(backAt())).toEqual({ state: 'done' });
  });

  it('also where an autoscaler has gone on from there', () => {
    const scaler: Scaler = { kind: 'hpa', name: 'workers', min: 2, max: 8, paused: false };
    const seen = backAt({ generation: 6, observedGeneration: 6, wanted: 4, replicas: 4, updated: 4, available: 4, scaler });
    expect(asked(seen)).toEqual({ state: 'done' });
  });
});

describe('a rollout is not done', () => {
  it.each<[string, Partial<WorkloadSeen>]>([
    ['while the counters are of the wish before', { observedGeneration: 4 }],
    ['while the available pods are the bad ones', { updated: 0, pods: pods('v2', 3) }],
    ['while some are not available', { available: 2 }],
    ['while there are more than wished for', { replicas: 4 }],
    ['while old pods are stopping', { pods: [...pods('v1', 3), ...pods('v2', 1, { terminating: true })] }],
    ['while the look is one from before the write', { generation: 4, observedGeneration: 4 }],
    ['while only some of the wished release are there', { updated: 1 }],
  ])('%s', (_, more) => {
    expect(asked(backAt(more)).state).toBe('waiting');
  });

  it('and what is missing is said', () => {
    expect(asked(backAt({ updated: 0, available: 3 }))).toEqual({
      state: 'waiting',
      why: '0 of 3 pods are of the wished release, 3 available, 3 in all',
    });
    const stopping = backAt({ pods: [...pods('v1', 3), ...pods('v2', 2, { terminating: true })] });
    expect(asked(stopping)).toEqual({ state: 'waiting', why: '2 pods of v2 are left, 2 of them stopping' });
  });
});

describe('a rollout has failed', () => {
  it('that wished for no pods, where everything else calls it a success', () => {
    const empty = backAt({ wanted: 0, replicas: 0, updated: 0, available: 0, pods: [] });
    expect(asked(empty, { replicas: 0 })).toMatchObject({ state: 'failed', code: 'nothing_wanted' });
  });

  it('by our own deadline, with the reasons of the pods', () => {
    const seen = backAt({ available: 2, pods: [...pods('v1', 2), ...pods('v1', 1, { ready: false, reason: 'ImagePullBackOff' })] });
    expect(asked(seen, {}, 119_999)).toMatchObject({ state: 'waiting' });
    expect(asked(seen, {}, 120_000)).toMatchObject({ state: 'failed', code: 'deadline', pods: ['v1-0 (v1): ImagePullBackOff'] });
  });

  it('by our own deadline, with what keeps pods from being made', () => {
    const seen = backAt({ available: 0, replicas: 0, updated: 0, pods: [], hindrance: 'FailedCreate: exceeded quota' });
    expect(asked(seen, {}, 120_000)).toMatchObject({ code: 'deadline', pods: ['FailedCreate: exceeded quota'] });
  });

  it('once the orchestrator has given the present wish up, and not for an older one', () => {
    const failure = 'ProgressDeadlineExceeded';
    expect(asked(backAt({ failure, available: 0 }))).toMatchObject({ state: 'failed', code: 'given_up' });
    expect(asked(backAt({ failure, available: 0, observedGeneration: 4 }))).toMatchObject({ state: 'waiting' });
  });

  it('where the wish is not carried out', () => {
    expect(asked(backAt({ paused: true, updated: 0 }))).toMatchObject({ state: 'failed', code: 'paused' });
  });

  it('where somebody else wrote', () => {
    const seen = seenOf({ generation: 6, observedGeneration: 6, writers: { release: { manager: 'argocd-controller', atMs: 1 }, replicas: null } });
    expect(asked(seen)).toMatchObject({ state: 'failed', code: 'conflict', why: 'argocd-controller wrote v2' });
  });

  it('and of many pods some are named', () => {
    const reasons = podReasons(pods('v1', 12, { ready: false }));
    expect(reasons).toHaveLength(11);
    expect(reasons.at(-1)).toBe('and 2 more');
  });
});

it('whatever is seen, done means that as many good pods as wished for, and no bad one, are there', () => {
  const few = fc.constantFrom(3, 3, 3, 0, 2, 4);
  const look = fc.record({
    ...{ wanted: few, replicas: few, updated: few, available: few, paused: fc.boolean() },
    generation: fc.integer({ min: 4, max: 6 }),
    observedGeneration: fc.integer({ min: 4, max: 6 }),
    failure: fc.option(fc.constant('ProgressDeadlineExceeded')),
    revision: fc.constantFrom('v1', 'v2'),
    left: fc.constantFrom(0, 0, 1),
  });
  let done = 0;
  fc.assert(
    fc.property(look, fc.integer({ min: 0, max: 200_000 }), ({ left, revision, ...more }, nowMs) => {
      const seen = seenOf({ ...more, revision, releaseId: `workers-${revision}`, pods: pods('v2', left) });
      if (asked(seen, {}, nowMs).state !== 'done') return;
      done++;
      expect(seen.revision).toBe('v1');
      expect([seen.replicas, seen.updated, seen.available]).toEqual([3, 3, 3]);
      expect(seen.observedGeneration).toBeGreaterThanOrEqual(Math.max(5, seen.generation));
      expect(seen.pods).toEqual([]);
    }),
    { numRuns: 10_000, seed: 8 },
  );
  expect(done).toBeGreaterThan(0);
});
