import type { SchemaRange } from './schema-range.js';

/**
 * A worker pool as one look of an orchestrator found it: what is wished for, what the counters say, which releases can be gone back to, and the pods one by
 * one. All of it is a plain value that can be stored as JSON.
 *
 * Counters are not believed alone. They lag behind the wish, they leave out pods that are stopping, and conditions call a pool of zero available: what is
 * asked of them stands in {@link rolledOut} and {@link gone}.
 */
export interface WorkloadSeen {
  /** As the policy names it: `NAMESPACE/NAME`, `command:NAME`, `simulated:NAME`. */
  readonly target: string;
  /** Opaque: which state of the object this is. A write made on this look is refused as `conflict` once somebody else has changed what is wished for. */
  readonly version: string;
  /** Rises with every change of the wish, never with a change of the state. */
  readonly generation: number;
  /** The newest generation that whoever carries the wish out has read. Below `generation` the counters are of an older wish. */
  readonly observedGeneration: number;
  /** Pods wished for. */
  readonly wanted: number;
  /** Pods that are there, those that are stopping left out. */
  readonly replicas: number;
  /** Of these, those of the wished release. */
  readonly updated: number;
  /** Of these, those that have been ready for long enough. */
  readonly available: number;
  /** Of the wished release; null: it names none. */
  readonly revision: string | null;
  /** The wished release among `releases`; null: it is not among them yet. */
  readonly releaseId: string | null;
  /** What can be gone back to, the wished one included; the one that was wished for last comes first. */
  readonly releases: readonly WorkloadRelease[];
  /** Every pod, also those that are stopping: only this list says that old workers are gone. */
  readonly pods: readonly PodSeen[];
  /** A wish is accepted and not carried out. */
  readonly paused: boolean;
  /** Why the orchestrator itself has given the wish up, once it has read the present one; null: it has not. */
  readonly failure: string | null;
  /** What keeps pods from being made at all, such as a quota; null: nothing. It may pass. */
  readonly hindrance: string | null;
  /** Version of the database's schema, as whoever migrates it has written it on the object; null: not written. Never asked of the pods. */
  readonly schemaVersion: string | null;
  /** What else sets the number of pods; null: nothing that could be seen. */
  readonly scaler: Scaler | null;
  /** Who wished last, by what was written; null: unknown. */
  readonly writers: { readonly release: Writer | null; readonly replicas: Writer | null };
  /** What could not be looked at for want of a right that is not needed for the rest, in words. */
  readonly unseen: readonly string[];
}

export interface WorkloadRelease {
  readonly id: string;
  /** What workers of it report as `worker.revision`; null: it names none. */
  readonly revision: string | null;
  /** Versions of the database's schema that it can work with; absent: it does not say, and fits all. */
  readonly schema?: SchemaRange;
  readonly createdMs: number;
  /** Pods when it was last the wished one. A hint: after scaling to zero it is 0. */
  readonly desiredReplicas?: number;
}

export interface PodSeen {
  readonly name: string;
  readonly revision: string | null;
  readonly ready: boolean;
  readonly terminating: boolean;
  /** Why it is not ready: `CrashLoopBackOff`, `ImagePullBackOff`, `Unschedulable` … */
  readonly reason?: string;
}

export interface Scaler {
  readonly kind: 'hpa' | 'keda';
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** It is told to leave the number of pods alone. */
  readonly paused: boolean;
}

export interface Writer {
  /** The name under which it writes: `argocd-controller`, `kubectl-edit`, `jobwarden` … */
  readonly manager: string;
  /** null: unknown. */
  readonly atMs: number | null;
}

/** The name under which Jobwarden writes. */
export const JOBWARDEN_WRITER = 'jobwarden';

/** One write. What is absent stays as it is. */
export interface WorkloadWanted {
  readonly releaseId?: string;
  readonly replicas?: number;
  /**
   * true: whatever else sets the number of pods is told to leave it at `replicas` of this same write, before the write; false: it is told to go on, after
   * the write. Only where the scaler knows such a thing (KEDA); for others nothing is done.
   */
  readonly pauseScaler?: boolean;
}

/** What a write has left behind: what is looked for afterwards. Stored with the step that made it. */
export interface WorkloadWritten {
  /** null: the release was not part of any write. */
  readonly releaseId: string | null;
  /** Of that release, where it names one: a restart of the same revision is another release and no other wish. */
  readonly revision: string | null;
  readonly replicas: number;
  /** That the write led to. */
  readonly generation: number;
  readonly atMs: number;
}

/** Whether the release that is wished for is the one that was written, or one of the same revision. */
export function standsAsWritten(seen: WorkloadSeen, written: WorkloadWritten): boolean {
  if (written.releaseId === null || seen.releaseId === written.releaseId) return true;
  return written.revision !== null && seen.revision === written.revision;
}
