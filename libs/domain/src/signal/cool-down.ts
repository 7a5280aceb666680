import { causeOfSubject, type CommonCause } from '../cause/common/common-cause.js';
import type { IncidentStepType } from '../incident/step-types.js';

/** Steps by which a run has done something about its target or queues, or has said what it would have done. */
export const ACTS_OF_A_RUN = ['rollback-begun', 'isolated', 'intake-throttled', 'would-have'] as const satisfies readonly IncidentStepType[];
export type ActOfRun = (typeof ACTS_OF_A_RUN)[number];

/** A run that has acted, or would have. A dry run that a person has asked for is none. */
export interface ActedRun {
  readonly incidentId: string;
  readonly subject: string;
  /** What it was found to come from in the end: an incident that was opened as unknown keeps its subject. null: it was not looked for. */
  readonly found: { readonly cause: string; readonly subject: string | null } | null;
  readonly open: boolean;
  /** The last of its acts. */
  readonly did: ActOfRun;
  /** When it last did anything, its readmission and its end included; lane time ms. */
  readonly atMs: number;
  /** Those of it that were saturated. */
  readonly queues: readonly { readonly namespace: string; readonly queue: string }[];
}

/** Where a signal belongs. */
export interface PlaceOfSignal {
  readonly namespace: string;
  readonly queue: string;
  /** null: its policy names none, and it goes by its cause. */
  readonly target: string | null;
  readonly subject: string;
}

/**
 * The last run that a signal may be put off for. That of its target acted on the very thing; a cause is a coarse word, and may be
 * another outage of another queue: it must have been this queue's, and known. Where nothing is known of the signal yet, any of
 * this queue that was.
 */
export function actedThere({ namespace, queue, target, subject }: PlaceOfSignal, acted: readonly ActedRun[]): ActedRun | null {
  const newest = acted.toSorted((a, b) => b.atMs - a.atMs);
  if (target === subject) return newest.find((run) => run.subject === subject) ?? null;
  const own = causeOfSubject(namespace, subject);
  const ofQueue = newest.filter(({ queues }) => queues.some((one) => one.namespace === namespace && one.queue === queue));
  return ofQueue.find((run) => (own?.cause === 'unknown' ? isKnown(run) : run.subject === subject || foundOut(run, own))) ?? null;
}

/** What it is not known to come from goes by the first look at it. */
export function isThin({ namespace, target, subject }: PlaceOfSignal): boolean {
  return target !== subject && causeOfSubject(namespace, subject)?.cause === 'unknown';
}

function isKnown({ found }: ActedRun): boolean {
  return found !== null && found.cause !== 'unknown';
}

/** It was opened as unknown, and came from this. */
function foundOut({ found, subject, queues }: ActedRun, own: CommonCause | null): boolean {
  if (found === null || own === null || found.cause !== own.cause) return false;
  const opened = queues.some(({ namespace }) => causeOfSubject(namespace, subject)?.cause === 'unknown');
  return opened && (own.blame === null || own.blame === found.subject);
}

/** What stands at the target of a signal, or at its cause where it has none. */
export interface SignalCircumstances {
  /** The incident that is open there; null: none is. */
  readonly openIncidentId: string | null;
  /** The last run there; null: none, as far as is known. */
  readonly acted: Pick<ActedRun, 'incidentId' | 'did' | 'atMs'> | null;
  /** `rollback.coolDown` of the queue. */
  readonly coolDownMs: number;
  /** It goes by its cause, which may look otherwise soon. */
  readonly byCause: boolean;
  /** Since when it is seen, where nothing says yet what it comes from: it gets one more look, and opens then. null: something does. */
  readonly thinSinceMs: number | null;
}

export type SignalPlacement =
  | { readonly kind: 'opens' }
  | { readonly kind: 'joins'; readonly incidentId: string }
  /** Nothing is opened until then, unless at a look before it the cause is another: what was just acted on gets the time to recover, and who was paged for it is not paged again. */
  | { readonly kind: 'suppressed'; readonly why: 'cool_down'; readonly untilMs: number; readonly looksMs: number; readonly says: string };

/** A first look is often thin. */
const LOOKS_AGAIN_MS = 60_000;

/**
 * An open incident takes every further signal; after it, the cool-down keeps a second rollback away, and a second page of an alert
 * that flaps: also where it was only throttled, or where nothing is done but to say what would be.
 */
export function placeSignal({ openIncidentId, acted, coolDownMs, byCause, thinSinceMs }: SignalCircumstances, nowMs: number): SignalPlacement {
  if (openIncidentId !== null) return { kind: 'joins', incidentId: openIncidentId };
  const untilMs = Math.min((acted?.atMs ?? 0) + coolDownMs, thinSinceMs === null ? Infinity : thinSinceMs + LOOKS_AGAIN_MS);
  if (acted === null || nowMs >= untilMs) return { kind: 'opens' };
  const looksMs = byCause ? Math.min(untilMs, nowMs + LOOKS_AGAIN_MS) : untilMs;
  return { kind: 'suppressed', why: 'cool_down', untilMs, looksMs, says: `incident ${acted.incidentId} ${DID[acted.did]} a short time ago` };
}

const DID: Readonly<Record<ActOfRun, string>> = {
  'rollback-begun': 'rolled it back',
  isolated: 'isolated what was to blame',
  'intake-throttled': 'throttled the intake',
  'would-have': 'said what it would have done',
};
