import type { JobState } from '../fold/state.js';
import { leaseEndAfter } from '../plan/lease.js';
import type { Lease } from '../plan/plan-types.js';

/** A stretch in which nobody said that an attempt lives: from the end of its lease to the next sign of life. Lane time ms. */
export interface VisibilityGap {
  readonly attempt: number;
  readonly fromMs: number;
  /** null: there has been none since. */
  readonly untilMs: number | null;
}

const MOST_GAPS = 20;

/**
 * The gaps of a job, oldest first; at most the last 20. Those that a decision was made for, and the one that is open now. A gap
 * that a heartbeat ended before anybody looked is not among them: of heartbeats only the last is kept.
 */
export function visibilityGaps(state: Pick<JobState, 'attempts' | 'decisions'>, leases: ReadonlyMap<number, Lease>, current: Current): readonly VisibilityGap[] {
  const signs = signsOf(state, leases);
  const gaps = state.decisions.flatMap(({ kind, reason, attempt, seenMs, laneMs }): VisibilityGap[] => {
    if (kind !== 'restart-requested' || reason !== 'lost' || seenMs === undefined) return [];
    const leaseMs = leaseOf(state, leases, attempt) ?? laneMs - seenMs;
    const fromMs = Math.min(laneMs, leaseEndAfter(seenMs, leaseMs));
    return [{ attempt, fromMs, untilMs: nextSign(signs, fromMs) }];
  });
  return [...gaps, ...openNow(state, leases, current, gaps)].slice(-MOST_GAPS);
}

export interface Current {
  readonly attempt: number;
  /** It runs, as far as anybody knows. */
  readonly processing: boolean;
  readonly nowMs: number;
}

function openNow(state: Pick<JobState, 'attempts'>, leases: ReadonlyMap<number, Lease>, { attempt, processing, nowMs }: Current, told: readonly VisibilityGap[]): readonly VisibilityGap[] {
  const beatMs = leases.get(attempt)?.beatMs ?? state.attempts.get(attempt)?.lastStartMs ?? null;
  const leaseMs = leaseOf(state, leases, attempt);
  if (!processing || beatMs === null || leaseMs === null) return [];
  const fromMs = leaseEndAfter(beatMs, leaseMs);
  if (fromMs >= nowMs) return [];
  return told.some((gap) => gap.attempt === attempt && gap.untilMs === null) ? [] : [{ attempt, fromMs, untilMs: null }];
}

/** null: nobody named one, and the attempt is under the policy's. */
function leaseOf({ attempts }: Pick<JobState, 'attempts'>, leases: ReadonlyMap<number, Lease>, attempt: number): number | null {
  return leases.get(attempt)?.leaseMs ?? attempts.get(attempt)?.leaseMs ?? null;
}

/** When some attempt has shown that it lives, in order. */
function signsOf({ attempts, decisions }: Pick<JobState, 'attempts' | 'decisions'>, leases: ReadonlyMap<number, Lease>): readonly number[] {
  const ofAttempts = [...attempts.values()].flatMap(({ starts, outcome, releasedMs }) => [...starts.map(({ laneMs }) => laneMs), outcome?.laneMs, releasedMs]);
  const ofDecisions = decisions.flatMap(({ kind, laneMs }) => (kind === 'restart-withdrawn' ? [laneMs] : []));
  const beats = [...leases.values()].map(({ beatMs }) => beatMs);
  return [...ofAttempts, ...ofDecisions, ...beats].filter((ms) => typeof ms === 'number').sort((a, b) => a - b);
}

function nextSign(signs: readonly number[], afterMs: number): number | null {
  return signs.find((ms) => ms > afterMs) ?? null;
}
