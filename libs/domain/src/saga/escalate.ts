import { isolationWrite, restoreWrite, scalerRelease } from '../rollout/snapshot.js';
import type { WorkloadWanted } from '../rollout/workload.js';
import { PUT_BACK_WITHIN_MS } from './deadlines.js';
import { intend, record, type Evidence, type SagaMove } from './moves.js';
import { badRevision, type SagaStanding } from './standing.js';

/**
 * A page, and the end of automation: first what was taken away is put back. A pool that was scaled to zero gets its replicas,
 * and a scaler that was paused goes on; the bad revision stays refused, so pods of it do no harm.
 */
export function escalate(s: SagaStanding, nowMs: number, code: string, reason: string, evidence: Evidence = {}): SagaMove {
  if (putBackWrite(s) !== null && !s.putBack) {
    const because = { code, reason, evidence };
    return intend('put-back', `${reason}: what was taken away is put back before a person goes on`, nowMs + PUT_BACK_WITHIN_MS, { because });
  }
  return told(s, code, reason, evidence);
}

/** Without putting anything back: it was, or could not be. */
export function told(s: SagaStanding, code: string, reason: string, evidence: Evidence = {}): SagaMove {
  const bad = badRevision(s);
  const leaves = bad !== null && s.quarantined ? `; ${bad} stays refused` : '';
  return record('escalated', `${reason}${leaves}`, { ...evidence, code });
}

/** What is to be written for the target to be as it was, but for its release; null: nothing was taken away. */
export function putBackWrite({ snapshot, scaled, rollback }: SagaStanding): WorkloadWanted | null {
  if (snapshot === null) return null;
  const unpaused = scalerRelease(snapshot);
  const written = rollback !== null && rollback.written !== null;
  if (scaled && !written) return { ...restoreWrite(snapshot), ...unpaused };
  return pausedScaler(snapshot) && (scaled || rollback !== null) ? unpaused : null;
}

function pausedScaler(snapshot: NonNullable<SagaStanding['snapshot']>): boolean {
  return isolationWrite(snapshot).pauseScaler === true;
}
