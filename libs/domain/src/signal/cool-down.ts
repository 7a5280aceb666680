import type { IncidentStepType } from '../incident/step-types.js';

/** Steps by which a run has done something about its target or queues, or has said what it would have done. */
export const ACTS_OF_A_RUN = ['rollback-begun', 'isolated', 'intake-throttled', 'would-have'] as const satisfies readonly IncidentStepType[];
export type ActOfRun = (typeof ACTS_OF_A_RUN)[number];

/** A run that has acted, or would have. A dry run that a person has asked for is none. */
export interface ActedRun {
  readonly incidentId: string;
  readonly subject: string;
  readonly open: boolean;
  /** The last of its acts. */
  readonly did: ActOfRun;
  /** When it last did anything, its readmission and its end included; lane time ms. */
  readonly atMs: number;
}

/** What stands at the target of a signal, or at its cause where it has none. */
export interface SignalCircumstances {
  /** The incident that is open there; null: none is. */
  readonly openIncidentId: string | null;
  /** The last run there; null: none, as far as is known. */
  readonly acted: Omit<ActedRun, 'subject' | 'open'> | null;
  /** `rollback.coolDown` of the queue. */
  readonly coolDownMs: number;
}

export type SignalPlacement =
  | { readonly kind: 'opens' }
  | { readonly kind: 'joins'; readonly incidentId: string }
  /** Nothing is opened until then: what was just acted on gets the time to recover, and who was paged for it is not paged again. */
  | { readonly kind: 'suppressed'; readonly why: 'cool_down'; readonly untilMs: number; readonly says: string };

/**
 * An open incident takes every further signal; after it, the cool-down keeps a second rollback away, and a second page of an alert
 * that flaps: also where it was only throttled, or where nothing is done but to say what would be.
 */
export function placeSignal({ openIncidentId, acted, coolDownMs }: SignalCircumstances, nowMs: number): SignalPlacement {
  if (openIncidentId !== null) return { kind: 'joins', incidentId: openIncidentId };
  if (acted === null || nowMs >= acted.atMs + coolDownMs) return { kind: 'opens' };
  return { kind: 'suppressed', why: 'cool_down', untilMs: acted.atMs + coolDownMs, says: `incident ${acted.incidentId} ${DID[acted.did]} a short time ago` };
}

const DID: Readonly<Record<ActOfRun, string>> = {
  'rollback-begun': 'rolled it back',
  isolated: 'isolated what was to blame',
  'intake-throttled': 'throttled the intake',
  'would-have': 'said what it would have done',
};
