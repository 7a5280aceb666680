import type { PodSeen, WorkloadRelease, WorkloadSeen, WorkloadWritten } from './workload.js';

export const release = (revision: string | null, more: Partial<WorkloadRelease> = {}): WorkloadRelease => ({
  id: `workers-${revision ?? 'nameless'}`,
  revision,
  createdMs: 0,
  ...more,
});

export const pods = (revision: string, count: number, more: Partial<PodSeen> = {}): PodSeen[] =>
  Array.from({ length: count }, (_, i) => ({ name: `${revision}-${String(i)}`, revision, ready: true, terminating: false, ...more }));

/** Three pods of `v2`, all well by the counters, with `v1` to go back to. */
export const seenOf = (more: Partial<WorkloadSeen> = {}): WorkloadSeen => ({
  target: 'shop/workers',
  version: '100',
  generation: 4,
  observedGeneration: 4,
  wanted: 3,
  replicas: 3,
  updated: 3,
  available: 3,
  revision: 'v2',
  releaseId: 'workers-v2',
  releases: [release('v2'), release('v1')],
  pods: pods('v2', 3),
  paused: false,
  failure: null,
  hindrance: null,
  schemaVersion: null,
  scaler: null,
  writers: { release: null, replicas: null },
  unseen: [],
  ...more,
});

/** `v1` stands again, with three pods. */
export const backAt = (more: Partial<WorkloadSeen> = {}): WorkloadSeen =>
  seenOf({ generation: 5, observedGeneration: 5, revision: 'v1', releaseId: 'workers-v1', pods: pods('v1', 3), ...more });

export const writtenV1 = (more: Partial<WorkloadWritten> = {}): WorkloadWritten => ({
  releaseId: 'workers-v1',
  revision: 'v1',
  replicas: 3,
  generation: 5,
  atMs: 1_000,
  ...more,
});
