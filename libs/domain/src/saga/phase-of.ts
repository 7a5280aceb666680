import { CALM_WITHIN_MS, DRILL_WITHIN_MS, ROLL_BACK_WITHIN_MS, VERIFY_WITHIN_MS } from './deadlines.js';
import { badRevision, isUnclear, type SagaStanding } from './standing.js';
import { verifySinceMs } from './stages/verify.js';

export const RUN_PHASES = [
  'assessing',
  'waiting-for-approval',
  'would-have',
  'throttling',
  'capturing-evidence',
  'isolating',
  'rolling-back',
  'restoring-replicas',
  'verifying',
  'waiting-for-calm',
  'readmitting',
  'closing',
  'putting-back',
  'escalated',
  'aborting',
  'over',
] as const;
export type RunPhase = (typeof RUN_PHASES)[number];

export interface PhaseOfRun {
  readonly phase: RunPhase;
  /** What it waits for, for people; null: for nothing. */
  readonly waitsFor: string | null;
  /** Lane time, ms: when it waits no longer; null: for as long as it takes a person. */
  readonly untilMs: number | null;
}

/** Where a run stands, in one word, by its steps. */
export function phaseOf(s: SagaStanding): PhaseOfRun {
  if (s.over) return { phase: 'over', waitsFor: null, untilMs: null };
  if (s.escalated !== null) return { phase: 'escalated', waitsFor: s.unreadable === null ? 'a person: resolve it, or approve for it to go on' : 'a person: resolve or abort it', untilMs: null };
  if (s.held) return { phase: working(s).phase, waitsFor: 'the stop switch', untilMs: null };
  if (s.intent?.does === 'put-back') return { phase: 'putting-back', waitsFor: 'the target to be as it was', untilMs: s.intent.deadlineMs };
  if (s.aborted !== null) return { phase: 'aborting', waitsFor: 'the throttle to be lifted', untilMs: null };
  return working(s);
}

function working(s: SagaStanding): PhaseOfRun {
  if (s.about.drill === true) return { phase: 'waiting-for-calm', waitsFor: 'the end of the drill', untilMs: s.openedMs + DRILL_WITHIN_MS };
  const { cause, intent } = s;
  const untilMs = intent !== null && Number.isFinite(intent.deadlineMs) ? intent.deadlineMs : null;
  if (cause === null || isUnclear(s)) return { phase: 'assessing', waitsFor: 'the cause', untilMs: null };
  if (s.approval !== null) return { phase: 'waiting-for-approval', waitsFor: 'a person’s approval', untilMs: s.approval.deadlineMs };
  if (s.readmit !== null && intent?.does !== 'lift') return { phase: 'readmitting', waitsFor: 'the share to hold', untilMs };
  if (intent?.does === 'lift') return { phase: 'closing', waitsFor: 'the throttle to be lifted', untilMs };
  if (cause.plan.held !== null && !s.wouldHave) return { phase: 'would-have', waitsFor: null, untilMs: null };
  if (cause.plan.throttles && s.throttledMs === null) return { phase: 'throttling', waitsFor: 'the queues to be throttled', untilMs };
  if (cause.plan.held !== null || cause.plan.does === 'throttle') return { phase: 'waiting-for-calm', waitsFor: 'the end of the signal', untilMs: s.goesOnMs + CALM_WITHIN_MS };
  return badRevision(s) === null ? afterIsolation(s) : rollingBack(s, untilMs);
}

function rollingBack(s: SagaStanding, untilMs: number | null): PhaseOfRun {
  if (s.evidence === null) return { phase: 'capturing-evidence', waitsFor: 'the evidence of a bad worker', untilMs };
  if (s.isolatedMs === null && !s.isolatedLate) return { phase: 'isolating', waitsFor: 'the revision to be refused everywhere', untilMs };
  if (s.rolledBackMs === null) return { phase: 'rolling-back', waitsFor: 'the target to have the release', untilMs: untilMs ?? s.lastMs + ROLL_BACK_WITHIN_MS };
  if (s.restoredMs === null) return { phase: 'restoring-replicas', waitsFor: 'as many replicas as before', untilMs: s.rollback?.deadlineMs ?? null };
  return afterIsolation(s);
}

function afterIsolation(s: SagaStanding): PhaseOfRun {
  if (s.isolatedMs === null && s.restoredMs === null) return { phase: 'isolating', waitsFor: 'the job to be out of the way', untilMs: s.intent?.deadlineMs ?? null };
  if (s.verifiedMs === null) return { phase: 'verifying', waitsFor: 'a sample of attempts that succeed', untilMs: Math.max(verifySinceMs(s), s.goesOnMs) + VERIFY_WITHIN_MS };
  return { phase: 'closing', waitsFor: 'some time without a revert', untilMs: null };
}
