import type { SchemaAnswer } from '../rollout/choose-release.js';
import type { WorkloadSeen } from '../rollout/workload.js';

/** One look at everything that a run's next move may depend on. What the move does not need is null. */
export interface SagaSeen {
  /** The stop switch. */
  readonly actionsOn: boolean;
  readonly assessed: Assessed | null;
  /** The signal goes on; null: nobody knows. */
  readonly signalStands: boolean | null;
  readonly target: TargetLook | null;
  readonly quarantine: QuarantineLook | null;
  readonly evidence: EvidenceLook | null;
  readonly intake: IntakeLook | null;
  /** Of everyone but the bad revision, since {@link sampledSince}. */
  readonly sample: { readonly succeeded: number; readonly failed: number } | null;
  readonly tries: TriesLook;
}

/** What a window of the log says it comes from. */
export interface SeenCause {
  readonly cause: string;
  readonly subject: string | null;
  readonly confidence: number;
  readonly selfSustained: boolean;
  readonly action: 'rollback' | 'dead-letter' | 'throttle' | 'escalate';
  /** The strongest first. */
  readonly evidence: readonly { readonly says: string; readonly figures: Readonly<Record<string, number | string>> }[];
}

export interface Assessed {
  readonly assessment: SeenCause;
  /** When the revision to blame was first seen; null: it is none, or nobody knows. */
  readonly firstSeenMs: number | null;
}

export type TargetLook = { readonly seen: WorkloadSeen; readonly facts: TargetFacts } | { readonly fault: LookFault };

/** What a release is chosen by. */
export interface TargetFacts {
  /** Quarantined revisions, and those that were rolled back from before. */
  readonly bad: readonly string[];
  readonly healthy: readonly string[];
  readonly schemaVersion: string | null;
  readonly databases?: readonly SchemaAnswer[];
}

export interface LookFault {
  readonly code: string;
  readonly detail: string;
  readonly retryAfterMs: number | null;
}

export interface QuarantineLook {
  readonly refusedEverywhere: boolean;
  readonly liveLeases: number;
}

export interface EvidenceLook {
  readonly outcome: 'not-asked' | 'asked' | 'captured' | 'timed-out' | 'no-worker';
  /** What is kept, in figures. */
  readonly figures: Readonly<Record<string, unknown>>;
}

export interface IntakeLook {
  readonly queues: number;
  /** The share that all of them let in by this run; null: they differ, or nothing is throttled. */
  readonly percent: number | null;
  /** Queues that this run holds below what they were. */
  readonly throttled: number;
  /** As they were before, for the record. */
  readonly before: Readonly<Record<string, unknown>>;
}

export interface TriesLook {
  /** Of the present intention. */
  readonly count: number;
  readonly lastMs: number | null;
  /** Writes to the cluster that count (`WRITES_WITHIN_MS`), and when the oldest of them was. */
  readonly writes: number;
  readonly oldestWriteMs: number | null;
}
