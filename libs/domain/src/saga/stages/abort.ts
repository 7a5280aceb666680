import { actOf } from '../act-of.js';
import { PUT_BACK_WITHIN_MS, THROTTLE_WITHIN_MS } from '../deadlines.js';
import { putBackWrite, told } from '../escalate.js';
import { intend, record } from '../moves.js';
import { badRevision, type SagaStanding } from '../standing.js';
import type { Stage } from './stage.js';

/** A person has stopped it: what was taken away is put back, the throttle goes or stays as the policy has it, and what is left as it is gets told. */
export const abort: Stage = (s, seen, policy, nowMs) => {
  const by = s.aborted?.by ?? 'a person';
  if (putBackWrite(s) !== null && !s.putBack) {
    return intend('put-back', 'what was taken away is about to be put back', nowMs + PUT_BACK_WITHIN_MS);
  }
  if (s.throttledMs !== null && !s.lifted && policy.onAbort === 'lift') {
    if (s.intent?.does !== 'lift') return intend('lift', 'the throttle is about to be lifted', nowMs + THROTTLE_WITHIN_MS);
    return actOf(s, s.intent, seen, policy, nowMs, { does: 'lift' }, (code, why) => told(s, code, `the throttle could not be lifted: ${why}`));
  }
  const leaves = leftAsItIs(s, policy.onAbort);
  const keepsThrottle = s.throttledMs !== null && !s.lifted;
  return record('resolved', `${by} has aborted the run; ${leaves.length === 0 ? 'nothing is left changed' : leaves.join('; ')}`, { leaves, keepsThrottle });
};

function leftAsItIs(s: SagaStanding, onAbort: 'lift' | 'keep'): readonly string[] {
  const bad = badRevision(s);
  const leaves: string[] = [];
  if (bad !== null && s.quarantined) leaves.push(`${bad} stays refused`);
  if (s.rollback?.written != null) leaves.push(`${s.about.target ?? 'the target'} stays at the release of ${s.rollback.release.revision ?? s.rollback.release.id}`);
  if (s.throttledMs !== null && !s.lifted && onAbort === 'keep') leaves.push('the queues stay throttled');
  return leaves;
}
