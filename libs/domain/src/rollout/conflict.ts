import { JOBWARDEN_WRITER, standsAsWritten, type Scaler, type WorkloadSeen, type WorkloadWritten, type Writer } from './workload.js';

/**
 * Somebody else has wished for something else since the write.
 * - `gitops_conflict`: the release is a bad one again. Whoever did it will do it again.
 * - `release_changed`: it is a third one. A person, or a pipeline, has gone on; that is not fought.
 * - `replicas_changed`: another number of pods, where no autoscaler is known that may set it; or none at all.
 */
export interface RolloutConflict {
  readonly code: 'gitops_conflict' | 'release_changed' | 'replicas_changed';
  /** The field manager; `unknown` where the object does not say. */
  readonly manager: string;
  readonly atMs: number | null;
  /** For people, in one sentence. */
  readonly why: string;
}

/** null: what was written stands. `bad`: revisions that must not run. */
export function conflictOf(written: WorkloadWritten, seen: WorkloadSeen, bad: readonly string[]): RolloutConflict | null {
  if (seen.generation <= written.generation) return null;
  if (!standsAsWritten(seen, written)) {
    const back = seen.revision !== null && bad.includes(seen.revision);
    return conflict(back ? 'gitops_conflict' : 'release_changed', seen.writers.release, `wrote ${seen.revision ?? 'a release without a name'}`);
  }
  if (replicasStand(seen, written)) return null;
  return conflict('replicas_changed', seen.writers.replicas, `wants ${String(seen.wanted)} pods instead of ${String(written.replicas)}`);
}

function conflict(code: RolloutConflict['code'], writer: Writer | null, what: string): RolloutConflict {
  const manager = writer === null || writer.manager === JOBWARDEN_WRITER ? 'unknown' : writer.manager;
  return { code, manager, atMs: writer?.atMs ?? null, why: `${manager} ${what}` };
}

/** As many as were written; or an autoscaler at work: not paused, and within its bounds. From 0 it brings nothing back by right. */
export function replicasStand({ scaler, wanted }: WorkloadSeen, { replicas }: WorkloadWritten): boolean {
  if (wanted === replicas) return true;
  return replicas > 0 && wanted > 0 && scaler !== null && !scaler.paused && within(scaler, wanted);
}

function within({ min, max }: Scaler, wanted: number): boolean {
  return wanted >= min && wanted <= max;
}

/**
 * What follows from a conflict. Once more at most, and only against a revert: a person or a pipeline that went on is not fought, and a field manager that
 * reverts twice will revert for ever. `writes`: rollbacks written so far. Whatever is answered, the bad revision stays quarantined.
 */
export function afterConflict(conflict: RolloutConflict, writes: number): 'once_more' | 'escalate' {
  return conflict.code === 'gitops_conflict' && writes < 2 ? 'once_more' : 'escalate';
}
