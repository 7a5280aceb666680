import type { PolicySource, ResolvedPolicy } from '#libs/application';
import { GATE_DEFAULTS, type Action, type Level, type QueuePolicy } from '#libs/domain';

/** Every value as CONTRACT's defaults have it. */
export const DEFAULT_POLICY: QueuePolicy = {
  levels: { retry: 'observe', requeue: 'observe', deadLetter: 'observe', throttle: 'observe', rollback: 'observe' },
  owner: 'jobwarden',
  ownerWaitMs: 120_000,
  claims: 'off',
  idempotent: false,
  dedupes: false,
  heartbeatTransport: 'auto',
  heartbeats: 'auto',
  leaseMs: 30_000,
  heartbeatEveryMs: 10_000,
  graceMs: 15_000,
  stuckAfter: { mode: 'learned' },
  hardTimeoutMs: null,
  startByMs: 600_000,
  maxRetries: 3,
  backoff: { initialMs: 1_000, factor: 2, maxMs: 300_000, jitter: 0.2 },
  republish: 3,
  maxRedrives: 3,
  poisonAfter: null,
  budget: { perSecond: 50, burst: 100 },
  blackout: { minWorkers: 5, share: 0.3, holdMaxMs: 600_000 },
  probing: { share: 0.8, probes: 3, everyMs: 30_000 },
  saturation: { ratio: 0.25, unprocessed: 5_000, forMs: 60_000, windowMs: 120_000, minProcessed: 20, recoverBelow: 0.1 },
  retentionMs: 30 * 86_400_000,
  approvalForMs: 900_000,
  fallback: true,
  fallbackQueue: null,
  schema: null,
  rollback: { target: null, scaleToZero: false, coolDownMs: 1_800_000, approval: true, writesPerMinute: 6, watchMs: 60_000, onAbort: 'lift' },
  readmit: { steps: [1, 10, 25, 50, 100], holdMs: 30_000, falls: 3, maxRatio: 0.1, minSample: 20 },
  gate: GATE_DEFAULTS,
};

/** One policy for every queue. */
export function fixedPolicies(changes: Partial<QueuePolicy> = {}, level: Level = 'observe'): PolicySource {
  const levels: Record<Action, Level> = {
    retry: level,
    requeue: level,
    deadLetter: level,
    throttle: level,
    rollback: level,
  };
  const policy: QueuePolicy = { ...DEFAULT_POLICY, levels, ...changes };
  const resolved: ResolvedPolicy = { policy, sources: {}, levels: policy.levels };
  return { version: 'fixed', policyFor: () => resolved };
}
