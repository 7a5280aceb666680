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
  readonly lease: Threshold;
  readonly graceMs: number;
  /** null = off. */
  readonly stuckAfter: Threshold | null;
  readonly hardTimeout: Threshold | null;
  readonly startByMs: number;
}

/** Where the resolved policy's values were written. */
export type PolicySources = Readonly<Partial<Record<'lease' | 'stuckAfter' | 'hardTimeout', ThresholdSource>>>;

export function limitsOf(
  state: JobState,
  policy: QueuePolicy,
  sources: PolicySources,
  learnedStuckAfterMs: number | null,
): JobLimits {
  const ownTimeoutMs = changedLimit(state, 'timeoutMs') ?? state.queued?.timeoutMs;
  return {
    maxRetries: changedLimit(state, 'maxRetries') ?? state.queued?.maxRetries ?? policy.maxRetries,
    lease: { source: sources.lease ?? 'default', ms: policy.leaseMs },
    graceMs: policy.graceMs,
    stuckAfter: stuckAfterOf(policy, sources, learnedStuckAfterMs),
    hardTimeout: hardTimeoutOf(policy, sources, ownTimeoutMs),
    startByMs: policy.startByMs,
  };
}

function changedLimit(state: JobState, limit: keyof LimitsChange): number | undefined {
  return state.decisions.findLast((d) => d.kind === 'limits-changed' && d.limits?.[limit] !== undefined)?.limits?.[limit];
}

function hardTimeoutOf(policy: QueuePolicy, sources: PolicySources, ownMs: number | undefined): Threshold | null {
  if (ownMs !== undefined) return { source: 'job', ms: ownMs };
  return policy.hardTimeoutMs === null ? null : { source: sources.hardTimeout ?? 'default', ms: policy.hardTimeoutMs };
}

function stuckAfterOf(policy: QueuePolicy, sources: PolicySources, learnedMs: number | null): Threshold | null {
  switch (policy.stuckAfter.mode) {
    case 'off':
      return null;
    case 'fixed':
      return { source: sources.stuckAfter ?? 'default', ms: policy.stuckAfter.ms };
    case 'learned':
      return learnedMs === null
        ? { source: 'default', ms: STUCK_AFTER_DEFAULT_MS }
        : { source: 'learned', ms: learnedMs };
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
