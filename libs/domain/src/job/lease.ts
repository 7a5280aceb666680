import type { Threshold } from '../policy/queue-policy.js';
import type { Subject } from './plan.js';
import type { AttemptState } from './state.js';

export interface Deadline {
  readonly waitsFor: 'lease' | 'stuck-after' | 'hard-timeout';
  readonly dueMs: number;
  readonly threshold: Threshold;
  readonly lastSignMs: number;
}

/** The lease's end, or null where the attempt is under none. */
export function leaseOf(subject: Subject, attempt: AttemptState): Deadline | null {
  const { lease, limits, policy, gapEndMs, view } = subject;
  if (policy.heartbeats === 'none') return null;
  const declared = lease !== null || attempt.leaseMs !== null;
  if (!declared && policy.heartbeats !== 'expected') return null;
  const beatMs = Math.max(lease?.beatMs ?? 0, attempt.lastStartMs ?? 0);
  const lastSignMs = beatMs === 0 ? view.sinceMs : beatMs;
  const ownMs = lease?.leaseMs ?? attempt.leaseMs;
  const threshold: Threshold = ownMs === null ? limits.lease : { source: 'job', ms: ownMs };
  const dueMs = Math.max(lastSignMs, gapEndMs) + threshold.ms;
  return { waitsFor: 'lease', dueMs, threshold, lastSignMs };
}

/** Let go, and nobody has taken the same attempt up since. */
export function wasReleased(attempt: AttemptState, subject: Subject): boolean {
  if (attempt.releasedMs === null) return false;
  const signs = Math.max(attempt.lastStartMs ?? 0, subject.lease?.beatMs ?? 0);
  return attempt.releasedMs >= signs;
}
