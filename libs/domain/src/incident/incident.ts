import type { IncidentStepType } from './step-types.js';

/**
 * An incident: something that a person has to look at. A stream of its own, of steps numbered from 1 without a gap:
 *
 *   opened (n = 1) ── noted … ──► resolved (the last one)
 *
 * As with jobs, what it says is a fold of its steps; every step is decided on the fold of those that are there.
 * An incident of saturation has the steps of its run between the first and the last one.
 */

/** What can be wrong. Another one is added here, and is a label of the metric by that. */
export const INCIDENT_KINDS = ['lane_out_of_range', 'blackout', 'wrong_act', 'saturation'] as const;
export type IncidentKind = (typeof INCIDENT_KINDS)[number];

export const INCIDENT_STATUSES = ['open', 'resolved'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

/**
 * What an incident is about. While one is open there is no second one of the same identity; after that there may be.
 * Without a queue it is about the whole installation.
 */
export interface IncidentIdentity {
  readonly kind: IncidentKind;
  /** What of its kind: a lane, a revision, or just the queue's name. */
  readonly subject: string;
  readonly queue?: { readonly namespace: string; readonly queue: string };
}

export interface IncidentStepDraft {
  readonly type: IncidentStepType;
  /** `jobwarden`, or who did it. */
  readonly by: string;
  /** For people, in one sentence. That of `opened` is the incident's summary. */
  readonly reason: string;
  /** In figures: what was seen. */
  readonly evidence?: Readonly<Record<string, unknown>>;
}

export interface IncidentStep extends IncidentStepDraft {
  readonly n: number;
  /** Lane time, ms. */
  readonly atMs: number;
}

export interface IncidentStanding {
  readonly status: IncidentStatus;
  readonly summary: string;
  readonly openedMs: number;
  readonly resolvedMs: number | null;
  /** Number of the last step. */
  readonly n: number;
}

/** null: no steps. */
export function foldIncident(steps: readonly IncidentStep[]): IncidentStanding | null {
  return steps.reduce<IncidentStanding | null>(applyStep, null);
}

function applyStep(view: IncidentStanding | null, step: IncidentStep): IncidentStanding {
  const { n, type, reason, atMs } = step;
  if (n !== (view?.n ?? 0) + 1) throw new Error(`step ${String(n)} of an incident does not follow ${String(view?.n ?? 0)}`);
  const before = view ?? { status: 'open', summary: reason, openedMs: atMs, resolvedMs: null, n: 0 };
  // A step of a kind that a newer program has made counts as a note.
  return type === 'resolved' ? { ...before, n, status: 'resolved', resolvedMs: atMs } : { ...before, n };
}

/** Why a step is not taken. `unopened`: there is none, or none that is open. */
export type StepRefusal = 'unopened' | 'closed' | 'full';
export type StepDecision = { readonly step: IncidentStep } | { readonly refused: StepRefusal };

/** Steps of one incident at most, its end not counted: whoever notes in a loop must not fill the database. */
export const MAX_STEPS = 200;
/** Notes that come of opening again what is open. */
export const MAX_REPEATS = 20;

/** The next step, on everything that is there. */
export function nextStep(steps: readonly IncidentStep[], draft: IncidentStepDraft, atMs: number): StepDecision {
  const view = foldIncident(steps);
  if (view === null ? draft.type !== 'opened' : draft.type === 'opened') {
    return { refused: view === null ? 'unopened' : 'closed' };
  }
  if (view?.status === 'resolved') return { refused: 'closed' };
  if (draft.type === 'noted' && steps.length >= MAX_STEPS) return { refused: 'full' };
  return { step: { ...draft, n: steps.length + 1, atMs } };
}

/**
 * What opening an incident again adds to it: a note, where it says something that no step has said, and a few times
 * only. Evidence that flaps four times a second would else page somebody four times a second.
 */
export function repeatedStep(steps: readonly IncidentStep[], draft: IncidentStepDraft, atMs: number): IncidentStep | null {
  if (steps.length > MAX_REPEATS || steps.some((step) => step.reason === draft.reason)) return null;
  const decision = nextStep(steps, { ...draft, type: 'noted' }, atMs);
  return 'step' in decision ? decision.step : null;
}
