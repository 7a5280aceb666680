import { GATE_DEFAULTS } from '../../gate/gate-policy.js';
import type { LearnedThreshold } from '../../policy/learned-threshold.js';
import type { Backoff, QueuePolicy } from '../../policy/queue-policy.js';
import { foldJob, type JobEvent } from '../fold/fold.js';
import { limitsOf } from './limits.js';
import { planOf, type Lease, type Plan, type Subject } from './plan.js';
import { viewOf } from '../view/view.js';

/** Round figures, so that a deadline shows which setting made it. */
export const POLICY: QueuePolicy = {
  levels: { retry: 'act', requeue: 'act', deadLetter: 'act', throttle: 'act', rollback: 'act' },
  owner: 'jobwarden',
  ownerWaitMs: 2_000,
  claims: 'off',
  idempotent: true,
  dedupes: false,
  heartbeatTransport: 'auto',
  heartbeats: 'auto',
  leaseMs: 300,
  heartbeatEveryMs: 100,
  graceMs: 150,
  stuckAfter: { mode: 'fixed', ms: 10_000 },
  hardTimeoutMs: null,
  startByMs: 600,
  maxRetries: 3,
  backoff: { initialMs: 1_000, factor: 2, maxMs: 5_000, jitter: 0 } satisfies Backoff,
  republish: 3,
  maxRedrives: 3,
  poisonAfter: null,
  budget: { perSecond: 50, burst: 100 },
  blackout: { minWorkers: 5, share: 0.3, holdMaxMs: 600_000 },
  probing: { share: 0.8, probes: 3, everyMs: 30_000 },
  saturation: { ratio: 0.25, unprocessed: 5_000, forMs: 60_000, windowMs: 120_000, minProcessed: 20, recoverBelow: 0.1 },
  retentionMs: 86_400_000,
  approvalForMs: 900_000,
  fallback: true,
  fallbackQueue: null,
  schema: null,
  rollback: { target: null, scaleToZero: false, coolDownMs: 0, approval: true, writesPerMinute: 6, watchMs: 60_000, onAbort: 'lift' },
  readmit: { steps: [1, 10, 25, 50, 100], holdMs: 30_000, falls: 3, maxRatio: 0.1, minSample: 20 },
  gate: GATE_DEFAULTS,
};

export interface Circumstances {
  readonly policy?: Partial<QueuePolicy>;
  readonly lease?: Lease | null;
  readonly gapEndMs?: number;
  readonly epoch?: number;
  readonly spread?: number;
  readonly learned?: LearnedThreshold;
}

export function subjectOf(events: Iterable<JobEvent>, circumstances: Circumstances = {}): Subject {
  const { policy: over = {}, lease = null, gapEndMs = 0, epoch = 0, spread = 0, learned = null } = circumstances;
  const policy = { ...POLICY, ...over };
  const state = foldJob(events);
  const limits = limitsOf(state, policy, {}, learned);
  return { state, view: viewOf(state), lease, policy, limits, gapEndMs, epoch, spread: () => spread };
}

export function planFor(events: Iterable<JobEvent>, circumstances: Circumstances = {}, reportedMs = 0): Plan | null {
  return planOf(subjectOf(events, circumstances), reportedMs);
}

/** What a plan comes down to: when, and which decisions (kind and attempt) or which report. */
export function gist(plan: Plan | null): string {
  if (plan === null) return 'rests';
  const what =
    plan.planned.kind === 'report'
      ? plan.planned.verdict
      : plan.planned.drafts.map((d) => `${d.kind} ${String(d.attempt)} (${d.reason})`).join(', ');
  return `at ${String(plan.dueMs)} after ${plan.waitsFor}: ${what}`;
}
