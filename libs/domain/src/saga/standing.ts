import type { IncidentStepType } from '../incident/step-types.js';
import type { ZeroLook } from '../rollout/gone.js';
import type { WorkloadSnapshot } from '../rollout/snapshot.js';
import type { WorkloadRelease, WorkloadWritten } from '../rollout/workload.js';
import type { Fault, Intent, RunPlan, Reason, RunAbout } from './step-evidence.js';

/** Where a run stands, by its steps alone: whoever reads them goes on where the last one stopped. */
export interface SagaStanding {
  /** Number of the last step, and when it was made. */
  readonly n: number;
  readonly lastMs: number;
  readonly openedMs: number;
  readonly about: RunAbout;
  readonly cause: AssessedCause | null;
  /** Assessments so far. */
  readonly assessments: number;
  /** Asked and not answered. */
  readonly approval: { readonly n: number; readonly deadlineMs: number } | null;
  readonly approved: boolean;
  readonly wouldHave: boolean;
  /** What was announced and whose end is not recorded yet. */
  readonly intent: Intent | null;
  /** Of the present intention: what went wrong, the oldest first. */
  readonly faults: readonly Fault[];
  /** The target cannot be looked at, and since when; null: the last look was well. */
  readonly lookFault: { readonly code: string; readonly sinceMs: number } | null;
  readonly throttledMs: number | null;
  readonly lifted: boolean;
  readonly evidence: string | null;
  /** Its refusal was announced: it stays refused until a person admits it again. */
  readonly quarantined: boolean;
  /** Refused everywhere, but its leases run on: the rollback ends them. */
  readonly isolatedLate: boolean;
  readonly isolatedMs: number | null;
  /** As it was before the first write. */
  readonly snapshot: WorkloadSnapshot | null;
  /** It was announced that the target is scaled to zero: whether the write came through or not, it has to be put back. */
  readonly scaled: boolean;
  readonly zero: { readonly atMs: number; readonly looks: readonly ZeroLook[] } | null;
  readonly rollback: Rollback | null;
  readonly rolledBackMs: number | null;
  readonly restoredMs: number | null;
  /** What was to be put back has been. */
  readonly putBack: boolean;
  readonly verifiedMs: number | null;
  /** Index into the policy's steps. */
  readonly readmit: { readonly step: number; readonly sinceMs: number; readonly falls: number } | null;
  /** The stop switch was off when it was last looked at. */
  readonly held: boolean;
  /** Since when it goes on: opened, approved, or let go on by the stop switch. */
  readonly goesOnMs: number;
  /** The first step that does not say what the run goes by: from there on it is a person's. null: all do. */
  readonly unreadable: { readonly n: number; readonly type: IncidentStepType } | null;
  /** What a person is to be told, now that things are put back. */
  readonly toTell: Reason | null;
  readonly escalated: { readonly n: number; readonly code: string } | null;
  readonly aborted: { readonly by: string } | null;
  readonly over: boolean;
  /** It is over by an abort that leaves the queues throttled. */
  readonly keepsThrottle: boolean;
}

export interface AssessedCause {
  readonly cause: string;
  readonly subject: string | null;
  readonly atMs: number;
  readonly plan: RunPlan;
}

export interface Rollback {
  readonly release: Pick<WorkloadRelease, 'id' | 'revision'>;
  readonly deadlineMs: number;
  /** Rollbacks begun so far: a second one only against somebody's revert. */
  readonly begun: number;
  readonly written: WorkloadWritten | null;
}

const UNCLEAR: ReadonlySet<string> = new Set(['cause_unknown', 'cause_needs_person']);

/** The last look found nothing, or nothing that is sure enough to act on: with more attempts the next one may. */
export function isUnclear({ cause }: SagaStanding): boolean {
  return UNCLEAR.has(cause?.plan.refused?.code ?? '');
}

/** The revision that is to blame; null: no revision is. */
export function badRevision({ cause }: SagaStanding): string | null {
  return cause?.cause === 'bad_revision' ? cause.subject : null;
}
