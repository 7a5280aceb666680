import type { AttemptView } from '#libs/contracts';
import {
  grantToken,
  overlapMs,
  type AttemptState,
  type ErrorSummary,
  type JobState,
  type JobView,
  type Outcome,
  type Plan,
} from '#libs/domain';
import type { JobDetailRow, LeaseRow } from '../ports/read-models.port.js';
import { iso } from './time.js';

/** Every attempt that was granted or of which something is known, by number. */
export function attemptViews(row: JobDetailRow, state: JobState, view: JobView, plan: Plan | null): AttemptView[] {
  const granted = state.decisions.filter((d) => d.kind === 'requeued').map((d) => d.attempt);
  const numbers = new Set([...granted, ...state.attempts.keys(), ...row.leases.keys()]);
  if (state.queued !== null) numbers.add(1);
  return [...numbers]
    .sort((a, b) => a - b)
    .map((n) => {
      const lease = row.leases.get(n);
      const leaseEndsMs = n === view.attempt && plan?.waitsFor === 'lease' ? plan.dueMs : null;
      const token = isGranted(state, n) ? grantToken(state, n) : null;
      const overlap = overlapMs(state, n, lease?.beatMs);
      return {
        attempt: n,
        ...(token !== null && { token }),
        ...knownOf(state.attempts.get(n)),
        ...leaseOf(lease),
        ...(overlap > 0 && { overlapMs: overlap }),
        ...(leaseEndsMs !== null && { leaseEndsAt: iso(leaseEndsMs) }),
      };
    });
}

/** Here, and not by a queue that retries by itself. */
function isGranted(state: JobState, n: number): boolean {
  return n === 1 || state.decisions.some((d) => d.kind === 'requeued' && d.attempt === n);
}

function knownOf(attempt: AttemptState | undefined): Omit<AttemptView, 'attempt'> {
  if (attempt === undefined) return { outcome: null, workers: [] };
  const { firstStartMs, startTimeMs, releasedMs, outcome, claimId } = attempt;
  return {
    outcome: outcome?.kind ?? null,
    ...(firstStartMs !== null && { startedAt: iso(firstStartMs) }),
    ...(startTimeMs !== null && { startTime: iso(startTimeMs) }),
    ...(releasedMs !== null && { releasedAt: iso(releasedMs) }),
    ...(outcome !== null && endOf(outcome)),
    ...(claimId !== null && { claimId }),
    workers: attempt.starts.map((s) => s.worker),
  };
}

function endOf(outcome: Outcome): Partial<AttemptView> {
  const { laneMs, timeMs, durationMs, error, retryAfterMs, snapshot } = outcome;
  return {
    endedAt: iso(laneMs),
    ...(timeMs !== undefined && { endTime: iso(timeMs) }),
    ...(durationMs !== undefined && { durationMs }),
    ...(error !== undefined && { error: errorView(error) }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(snapshot !== undefined && { snapshot }),
  };
}

export function errorView(error: ErrorSummary): NonNullable<AttemptView['error']> {
  return { ...error };
}

function leaseOf(lease: LeaseRow | undefined): Partial<AttemptView> {
  if (lease === undefined) return {};
  const progress = lease.progress === null ? undefined : parsed(lease.progress);
  return { lastBeatAt: iso(lease.beatMs), ...(progress !== undefined && { progress }) };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}
