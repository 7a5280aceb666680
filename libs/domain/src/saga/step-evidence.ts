import type { ZeroLook } from '../rollout/gone.js';
import type { WorkloadSnapshot } from '../rollout/snapshot.js';
import type { WorkloadRelease, WorkloadWritten } from '../rollout/workload.js';

/** What the steps of a run carry beside their sentence: the fold reads nothing else. Times are lane times, ms. */

/** Of `opened`. */
export interface RunAbout {
  /** null: there is nothing that could be rolled back. */
  readonly target: string | null;
  readonly namespace: string;
  /** Some of them; all are in the run's table. */
  readonly queues: readonly string[];
  readonly queueCount: number;
  readonly source: 'signal' | 'person';
  /** Named by the person who opened it: then it is to blame. */
  readonly revision: string | null;
  readonly dryRun: boolean;
  /** An exercise: a dry run that ends with its alert. Left out: it is none. */
  readonly drill?: boolean;
}

/** Of `cause-assessed`: decided once, by the policy of that moment. */
export interface RunPlan {
  readonly does: 'roll-back' | 'dead-letter' | 'throttle' | 'nothing';
  readonly throttles: boolean;
  readonly needsApproval: boolean;
  /** Why nothing of it is done but throttling; null: it is done. */
  readonly held: 'observe' | 'dry-run' | null;
  /** Why it goes to a person at once; null: it does not. */
  readonly refused: { readonly code: string; readonly why: string } | null;
}

export interface CauseEvidence {
  readonly cause: string;
  readonly subject: string | null;
  readonly confidence: number;
  readonly selfSustained: boolean;
  readonly action: string;
  readonly says: readonly unknown[];
  readonly plan: RunPlan;
}

/** What is announced by a note before it is done. `set-share` and `roll-back` are announced by steps of their own. */
export const INTENTS = [
  'throttle',
  'capture-evidence',
  'isolate',
  'scale-to-zero',
  'dead-letter',
  'roll-back',
  'put-back',
  'release-scaler',
  'set-share',
  'lift',
] as const;
export type IntentName = (typeof INTENTS)[number];

export interface Intent {
  readonly does: IntentName;
  /** Number of the step that announced it: tries are counted by it. */
  readonly n: number;
  readonly atMs: number;
  readonly deadlineMs: number;
  /** Why things are put back: what is told once that is done. */
  readonly because: Reason | null;
}

export interface Reason {
  readonly code: string;
  readonly reason: string;
  readonly evidence?: Readonly<Record<string, unknown>>;
}

/** Of `noted`: one of these, or something for people alone. */
export interface NoteEvidence {
  readonly intends?: IntentName;
  readonly deadlineMs?: number;
  readonly because?: Reason;
  readonly snapshot?: WorkloadSnapshot;
  readonly fault?: Fault;
  /** The target cannot be looked at; null: it can again. */
  readonly lookFault?: string | null;
  readonly did?: 'scale-to-zero' | 'put-back' | 'release-scaler' | 'lift';
  readonly zeroLook?: ZeroLook;
  /** Its leases run on beyond the time that was given them. */
  readonly runsOn?: number;
  /** The stop switch is off, or on again. */
  readonly held?: boolean;
}

/** A try that failed. */
export interface Fault {
  readonly n: number;
  /** Of the collaborator, such as `forbidden` or `conflict`. */
  readonly code: string;
  readonly detail: string;
  readonly atMs: number;
  readonly retryAfterMs: number | null;
}

export interface RollbackBegunEvidence {
  readonly snapshot: WorkloadSnapshot;
  readonly release: Pick<WorkloadRelease, 'id' | 'revision'>;
  readonly deadlineMs: number;
}

export interface RolledBackEvidence {
  /** Absent: it was passed over. */
  readonly written?: WorkloadWritten;
  readonly passedOver?: string;
}

export interface ReadmitEvidence {
  readonly step: number;
  readonly percent: number;
  readonly falls: number;
}
