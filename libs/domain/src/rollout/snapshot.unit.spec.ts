import { describe, expect, it } from 'vitest';
import { isolationWrite, restoreWrite, rollbackWrite, scalerRelease, snapshotOf, type WorkloadSnapshot } from './snapshot.js';
import { release, seenOf } from './workload.fixture.js';
import type { Scaler, WorkloadSeen } from './workload.js';

const taken = (seen: WorkloadSeen): WorkloadSnapshot => {
  const outcome = snapshotOf(seen, 1_000);
  if ('refused' in outcome) throw new Error(outcome.why);
  return outcome.snapshot;
};
const hpa: Scaler = { kind: 'hpa', name: 'workers', min: 2, max: 20, paused: false };
const keda: Scaler = { kind: 'keda', name: 'workers', min: 0, max: 20, paused: false };
const v1 = release('v1', { desiredReplicas: 4 });

describe('what is remembered before the first write', () => {
  it('brings back the pods of then, and not those of the release, of a manifest or of an autoscaler', () => {
    const snapshot = taken(seenOf({ wanted: 10, releases: [release('v2'), v1] }));
    expect(rollbackWrite(snapshot, v1, false)).toEqual({ releaseId: v1.id, replicas: 10 });
    expect(rollbackWrite(taken(seenOf({ wanted: 5, scaler: hpa })), v1, true)).toEqual({ releaseId: v1.id, replicas: 5 });
    expect(restoreWrite(snapshot)).toEqual({ replicas: 10 });
  });

  it('survives being stored', () => {
    const snapshot = taken(seenOf({ scaler: keda }));
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
  });

  it('refuses what a person has scaled to zero: it stays there', () => {
    const seen = seenOf({ wanted: 0, writers: { release: null, replicas: { manager: 'kubectl', atMs: null } } });
    expect(snapshotOf(seen, 0)).toEqual({ refused: 'scaled_to_zero', why: 'shop/workers is scaled to 0 by kubectl; it stays there' });
  });
});

describe('an autoscaler', () => {
  it('of KEDA is paused from the isolation on and let go at the end', () => {
    const snapshot = taken(seenOf({ scaler: keda }));
    expect(isolationWrite(snapshot)).toEqual({ replicas: 0, pauseScaler: true });
    expect(rollbackWrite(snapshot, v1, true)).toEqual({ releaseId: v1.id, replicas: 3, pauseScaler: true });
    expect(restoreWrite(snapshot)).toEqual({ replicas: 3, pauseScaler: true });
    expect(scalerRelease(snapshot)).toEqual({ pauseScaler: false });
  });

  it('is left alone where the pool is not scaled to zero', () => {
    expect(rollbackWrite(taken(seenOf({ scaler: keda })), v1, false)).not.toHaveProperty('pauseScaler');
  });

  it('that a person has paused stays paused', () => {
    const snapshot = taken(seenOf({ scaler: { ...keda, paused: true } }));
    expect(isolationWrite(snapshot)).toEqual({ replicas: 0 });
    expect(scalerRelease(snapshot)).toBeNull();
  });

  it('of the cluster itself is told nothing: it leaves a pool of zero alone', () => {
    const snapshot = taken(seenOf({ scaler: hpa }));
    expect(isolationWrite(snapshot)).toEqual({ replicas: 0 });
    expect(scalerRelease(snapshot)).toBeNull();
  });
});
