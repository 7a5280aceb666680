import { ASSESSMENTS } from './deadlines.js';
import { badRevision, isUnclear, type SagaStanding } from './standing.js';
import { looksFirst } from './stages/look-first.js';
import { verifySinceMs } from './stages/verify.js';

/** Width of a stretch in which attempts are counted, ms. */
const OUTCOME_SLOT_MS = 10_000;

/** What the next move may depend on: nothing else need be looked at. */
export interface Looks {
  readonly cause: boolean;
  readonly signal: boolean;
  readonly target: boolean;
  /** With the target: what the workers' databases say, which matters until a release is chosen. */
  readonly databases: boolean;
  readonly quarantine: boolean;
  readonly evidence: boolean;
  readonly intake: boolean;
  /** From when on attempts are counted, lane time ms; null: not at all. */
  readonly sampleSinceMs: number | null;
}

export function looksFor(s: SagaStanding): Looks {
  const { cause, about, aborted } = s;
  const isolates = cause?.plan.does === 'roll-back' && cause.plan.held === null && badRevision(s) !== null;
  const going = s.escalated === null && !s.over;
  const showsPlan = cause !== null && ((cause.plan.held !== null && !s.wouldHave) || (cause.plan.needsApproval && !s.approved && s.approval === null));
  return {
    cause: going && about.drill !== true && aborted === null && (cause === null || (isUnclear(s) && s.assessments < ASSESSMENTS)),
    signal: going && aborted === null && (!isolates || (cause.plan.needsApproval && !s.approved)),
    target: going && about.target !== null && (showsPlan || looksFirst(s) || s.intent?.does === 'put-back' || (isolates && (s.evidence !== null || s.rollback !== null))),
    databases: s.rolledBackMs === null && s.intent?.does !== 'roll-back' && s.intent?.does !== 'put-back',
    quarantine: going && isolates && s.isolatedMs === null,
    evidence: going && isolates && s.evidence === null,
    intake: going,
    sampleSinceMs: going ? sampledSince(s) : null,
  };
}

/** Counts are kept by stretches: one that had begun before tells of what was before. */
function sampledSince(s: SagaStanding): number | null {
  const sinceMs = s.readmit?.sinceMs ?? (s.isolatedMs === null && s.restoredMs === null ? null : verifySinceMs(s));
  return sinceMs === null ? null : Math.ceil(sinceMs / OUTCOME_SLOT_MS) * OUTCOME_SLOT_MS;
}
