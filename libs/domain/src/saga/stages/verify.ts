import { LOOK_AGAIN_MS, VERIFY_WITHIN_MS } from '../deadlines.js';
import { escalate } from '../escalate.js';
import { record, waitFor } from '../moves.js';
import type { SagaStanding } from '../standing.js';
import { isolatedAfterAll } from './isolate.js';
import type { Stage } from './stage.js';
import { howManyOf } from '../../words/how-many.js';

/** Work succeeds again, by a sample of those who are not to blame: counters of pods prove nothing about the work. */
export const verify: Stage = (s, seen, policy, nowMs) => {
  if (s.verifiedMs !== null) return null;
  const late = isolatedAfterAll(s, seen, policy, nowMs);
  if (late !== null) return late;
  const { succeeded = 0, failed = 0 } = seen.sample ?? {};
  const { maxRatio, minSample } = policy.readmit;
  const finished = succeeded + failed;
  const said = `${howManyOf(failed, finished, 'attempt')} failed`;
  const enough = finished >= minSample;
  if (enough && failed / finished <= maxRatio && s.isolatedMs !== null) {
    return record('verified', said, { succeeded, failed, bound: maxRatio, sample: minSample });
  }
  const deadlineMs = Math.max(verifySinceMs(s), s.goesOnMs) + VERIFY_WITHIN_MS;
  if (nowMs < deadlineMs) return waitFor(enough ? `fewer failures: ${said}` : `a sample of ${String(minSample)}: ${said}`, Math.min(nowMs + LOOK_AGAIN_MS, deadlineMs));
  if (s.isolatedMs === null) return escalate(s, nowMs, 'leases_run_on', 'leases of the bad revision run on');
  return enough ? escalate(s, nowMs, 'still_failing', `${said}: the cause is another one, or not the only one`) : escalate(s, nowMs, 'no_sample', `${said}: too few to say that it is mended`);
};

/** From when on attempts count that say whether it is mended. */
export function verifySinceMs(s: SagaStanding): number {
  return Math.max(s.restoredMs ?? 0, s.rolledBackMs ?? 0, s.isolatedMs ?? 0);
}
