import type { Scaler, WorkloadRelease, WorkloadSeen, WorkloadWanted } from './workload.js';

/**
 * What is stored before the first write. After scaling to zero nothing in the cluster says any more how many pods there were; a manifest or an autoscaler's
 * least number says something else. Everything that is put back comes from here.
 */
export interface WorkloadSnapshot {
  readonly target: string;
  /** Pods wished for, over 0. */
  readonly replicas: number;
  readonly revision: string | null;
  readonly releaseId: string | null;
  readonly generation: number;
  /** As it was: one that a person had paused stays paused. */
  readonly scaler: Scaler | null;
  /** Lane time, ms. */
  readonly atMs: number;
}

/** `scaled_to_zero`: somebody wants no pods, so there is nothing to roll back and nothing to put back. */
export type SnapshotOutcome = { readonly snapshot: WorkloadSnapshot } | { readonly refused: 'scaled_to_zero'; readonly why: string };

/** To be taken once per incident and stored before the first write; a resumed one reads it back and never takes it anew. */
export function snapshotOf(seen: WorkloadSeen, atMs: number): SnapshotOutcome {
  const { target, wanted, revision, releaseId, generation, scaler } = seen;
  if (wanted === 0) {
    const by = seen.writers.replicas === null ? '' : ` by ${seen.writers.replicas.manager}`;
    return { refused: 'scaled_to_zero', why: `${target} is scaled to 0${by}; it stays there` };
  }
  return { snapshot: { target, replicas: wanted, revision, releaseId, generation, scaler, atMs } };
}

/** Every pod stops; an autoscaler that could bring them back is told not to. */
export function isolationWrite(snapshot: WorkloadSnapshot): WorkloadWanted {
  return { replicas: 0, ...pause(snapshot, true) };
}

/** Release and number of pods in one write, so that there is no state between the two. The autoscaler stays as it is until the end. */
export function rollbackWrite(snapshot: WorkloadSnapshot, release: Pick<WorkloadRelease, 'id'>, isolatedByScale: boolean): WorkloadWanted {
  return { releaseId: release.id, replicas: snapshot.replicas, ...(isolatedByScale ? pause(snapshot, true) : {}) };
}

/** Nothing could be rolled back: the number of pods of before, with what runs. Revision quarantine is what holds then. */
export function restoreWrite(snapshot: WorkloadSnapshot): WorkloadWanted {
  return { replicas: snapshot.replicas, ...pause(snapshot, true) };
}

/** The last write, however it ended: the autoscaler goes on. null: nothing is to be done. */
export function scalerRelease(snapshot: WorkloadSnapshot): WorkloadWanted | null {
  const unpaused = pause(snapshot, false);
  return 'pauseScaler' in unpaused ? unpaused : null;
}

/** An HPA leaves a workload at 0 alone by itself, and has nothing that could be told. One that a person paused is left paused. */
function pause({ scaler }: WorkloadSnapshot, pauseScaler: boolean): Pick<WorkloadWanted, 'pauseScaler'> {
  return scaler?.kind === 'keda' && !scaler.paused ? { pauseScaler } : {};
}
