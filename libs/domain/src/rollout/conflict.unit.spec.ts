import { describe, expect, it } from 'vitest';
import { afterConflict, conflictOf } from './conflict.js';
import { backAt, pods, seenOf, writtenV1 } from './workload.fixture.js';
import type { Scaler } from './workload.js';

const argo = { manager: 'argocd-controller', atMs: 40_000 };
const hpa: Scaler = { kind: 'hpa', name: 'workers', min: 2, max: 8, paused: false };

describe('somebody else has written since', () => {
  it('not where the wish is what was written, or where only the state moves', () => {
    expect(conflictOf(writtenV1(), backAt({ available: 0 }), ['v2'])).toBeNull();
    expect(conflictOf(writtenV1(), backAt({ generation: 9 }), ['v2'])).toBeNull();
    expect(conflictOf(writtenV1(), seenOf(), ['v2'])).toBeNull();
  });

  it('and the bad release is back: a field manager reverts, and is named', () => {
    const seen = seenOf({ generation: 6, writers: { release: argo, replicas: null } });
    expect(conflictOf(writtenV1(), seen, ['v2'])).toEqual({
      ...{ code: 'gitops_conflict', manager: 'argocd-controller', atMs: 40_000 },
      why: 'argocd-controller wrote v2',
    });
  });

  it('and nobody is named where the object tells of nobody but us', () => {
    const seen = seenOf({ generation: 6, writers: { release: { manager: 'jobwarden', atMs: 1 }, replicas: null } });
    expect(conflictOf(writtenV1(), seen, ['v2'])).toMatchObject({ manager: 'unknown' });
  });

  it('and a third release stands: somebody has gone on', () => {
    const seen = seenOf({ generation: 6, revision: 'v3', releaseId: null, pods: pods('v3', 1) });
    expect(conflictOf(writtenV1(), seen, ['v2'])).toMatchObject({ code: 'release_changed' });
  });

  it('but a restart of the same revision is no other wish', () => {
    expect(conflictOf(writtenV1(), backAt({ generation: 6, releaseId: 'workers-restarted' }), ['v2'])).toBeNull();
  });

  it('and another number of pods is wished for, by no autoscaler that may', () => {
    expect(conflictOf(writtenV1(), backAt({ generation: 6, wanted: 4 }), ['v2'])).toMatchObject({ code: 'replicas_changed' });
    expect(conflictOf(writtenV1(), backAt({ generation: 6, wanted: 4, scaler: hpa }), ['v2'])).toBeNull();
    expect(conflictOf(writtenV1(), backAt({ generation: 6, wanted: 9, scaler: hpa }), ['v2'])).toMatchObject({ code: 'replicas_changed' });
    expect(conflictOf(writtenV1(), backAt({ generation: 6, wanted: 0, scaler: hpa }), ['v2'])).toMatchObject({ code: 'replicas_changed' });
    expect(conflictOf(writtenV1({ replicas: 0 }), seenOf({ generation: 6, scaler: hpa }), [])).toMatchObject({ code: 'release_changed' });
  });

  it('and is answered once at most, and only where it is a revert', () => {
    const revert = conflictOf(writtenV1(), seenOf({ generation: 6 }), ['v2'])!;
    expect(afterConflict(revert, 1)).toBe('once_more');
    expect(afterConflict(revert, 2)).toBe('escalate');
    expect(afterConflict({ ...revert, code: 'release_changed' }, 1)).toBe('escalate');
    expect(afterConflict({ ...revert, code: 'replicas_changed' }, 1)).toBe('escalate');
  });
});
