import type { IncidentStepDraft } from '../incident/incident.js';
import type { IncidentStepType } from '../incident/step-types.js';
import type { WorkloadWanted } from '../rollout/workload.js';
import { JOBWARDEN } from '../job/events/decisions.js';
import type { IntentName, NoteEvidence } from './step-evidence.js';

/** What is done about a run next: one thing, and then everything is looked at again. */
export type SagaMove =
  | { readonly kind: 'record'; readonly step: IncidentStepDraft }
  /** The intention is recorded, as step `n`. */
  | { readonly kind: 'act'; readonly act: SagaAct; readonly n: number }
  | { readonly kind: 'wait'; readonly untilMs: number; readonly what: string }
  /** Nothing, until a person says something. */
  | { readonly kind: 'rest' };

/** Each may be repeated: where it stands already nothing happens. */
export type SagaAct =
  /** All queues of the run let in this share of what is normal. */
  | { readonly does: 'set-share'; readonly percent: number }
  | { readonly does: 'lift' }
  | { readonly does: 'capture-evidence'; readonly revision: string }
  | { readonly does: 'quarantine'; readonly revision: string }
  | { readonly does: 'dead-letter'; readonly job: string }
  | { readonly does: 'write'; readonly wanted: WorkloadWanted };

export type Evidence = Readonly<Record<string, unknown>>;

export function record(type: IncidentStepType, reason: string, evidence?: object): SagaMove {
  return { kind: 'record', step: { type, by: JOBWARDEN, reason, ...(evidence !== undefined && { evidence: evidence as Evidence }) } };
}

export function note(reason: string, evidence: NoteEvidence & Evidence): SagaMove {
  return record('noted', reason, evidence);
}

/** Says what is about to be done, with the state before. */
export function intend(does: IntentName, reason: string, deadlineMs: number, before: NoteEvidence & Evidence = {}): SagaMove {
  return note(reason, { intends: does, deadlineMs, ...before });
}

export function waitFor(what: string, untilMs: number): SagaMove {
  return { kind: 'wait', untilMs, what };
}
