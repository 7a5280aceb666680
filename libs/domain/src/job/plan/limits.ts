import type { LearnedThreshold } from '../../policy/learned-threshold.js';
import type { QueuePolicy, Threshold, ThresholdSource } from '../../policy/queue-policy.js';
import { STUCK_AFTER_DEFAULT_MS } from '../../policy/queue-policy.js';
import type { LimitsChange } from '../events/decisions.js';
import type { JobState } from '../fold/state.js';

/**
 * The limits of one job, by precedence: the job's own (`queued`, or an operator's `limits-changed`), its kind's,
 * its queue's, learned, default. The policy handed in is already resolved for the kind; `sources` says from where.
 */
export interface JobLimits {
  readonly maxRetries: number;
  /** Where nobody declares one. Longer by what proved wrong: see {@link leaseOf}. */
  readonly lease: Threshold;
  readonly graceMs: number;
  /** null = off. */
  readonly stuckAfter: Threshold | null;
  readonly hardTimeout: Threshold | null;
  readonly startByMs: number;
  /** What the history says, where `stuckAfter` is learned from it; kept with the verdict. */
  readonly learned: LearnedThreshold | null;
}

/** Where the resolved policy's values were written. */
export type PolicySources = Readonly<Partial<Record<'lease' | 'stuckAfter' | 'hardTimeout', ThresholdSource>>>;

export function limitsOf(
  state: JobState,
  policy: QueuePolicy,
  sources: PolicySources,
  learned: LearnedThreshold | null,
): JobLimits {
  const ownTimeoutMs = changedLimit(state, 'timeoutMs') ?? state.queued?.timeoutMs;
  return {
    maxRetries: changedLimit(state, 'maxRetries') ?? state.queued?.maxRetries ?? policy.maxRetries,
    lease: leaseOf(state, policy, sources),
    graceMs: policy.graceMs,
    stuckAfter: stuckAfterOf(policy, sources, learned),
    hardTimeout: hardTimeoutOf(policy, sources, ownTimeoutMs),
    startByMs: policy.startByMs,
    learned: policy.stuckAfter.mode === 'learned' ? learned : null,
  };
}

/** A lease is made at most so many times as long. */
const LONGEST_LEASE = 8;

/**
 * Twice as long for each attempt of the job that was taken for lost and then beat again: whoever was suspected wrongly
 * is given more time, so a worker that is only slow is in the end believed. Out of the job's own decisions, so that
 * every replica finds the same, and bounded. A lease that the emitter declared is its own affair.
 */
function leaseOf(state: JobState, policy: QueuePolicy, sources: PolicySources): Threshold {
  const factor = Math.min(LONGEST_LEASE, 2 ** wronglySuspected(state));
  return { source: sources.lease ?? 'default', ms: policy.leaseMs * factor };
}

/** Attempts that were taken for lost and beat again. */
export function wronglySuspected({ decisions }: JobState): number {
  if (decisions.length === 0) return 0;
  const attempts = decisions.filter((d) => d.kind === 'restart-withdrawn' && d.reason === BEAT_AGAIN).map((d) => d.attempt);
  return new Set(attempts).size;
}

/** Reason of a withdrawal: the attempt has given a sign of life. */
export const BEAT_AGAIN = 'heartbeat';

function changedLimit(state: JobState, limit: keyof LimitsChange): number | undefined {
  return state.decisions.findLast((d) => d.kind === 'limits-changed' && d.limits?.[limit] !== undefined)?.limits?.[limit];
}

function hardTimeoutOf(policy: QueuePolicy, sources: PolicySources, ownMs: number | undefined): Threshold | null {
  if (ownMs !== undefined) return { source: 'job', ms: ownMs };
  return policy.hardTimeoutMs === null ? null : { source: sources.hardTimeout ?? 'default', ms: policy.hardTimeoutMs };
}

/** Of a run without a lease; null = off. */
export function stuckAfterOf(policy: QueuePolicy, sources: PolicySources, learned: LearnedThreshold | null): Threshold | null {
  switch (policy.stuckAfter.mode) {
    case 'off':
      return null;
    case 'fixed':
      return { source: sources.stuckAfter ?? 'default', ms: policy.stuckAfter.ms };
    case 'learned':
      return learned === null
        ? { source: 'default', ms: STUCK_AFTER_DEFAULT_MS }
        : { source: 'learned', ms: learned.ms };
  }
}

/** Retries granted since the last redrive (a redrive's own grant does not count). */
export function retriesUsed(state: JobState): number {
  let used = 0;
  for (const d of state.decisions) {
    if (d.kind === 'redriven') used = -1;
    else if (d.kind === 'requeued') used += 1;
  }
  return Math.max(used, 0);
}
