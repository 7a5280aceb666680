import { DRILL_MARK } from '../../drill/drill.js';
import { DRILL_WITHIN_MS, LOOK_AGAIN_MS } from '../deadlines.js';
import { record, waitFor, type SagaMove } from '../moves.js';
import type { SagaSeen } from '../seen.js';
import type { SagaStanding } from '../standing.js';

/**
 * An exercise: nothing is looked at but whether its alert is over, and nothing is ever done, whatever levels, approvals and
 * causes say. It ends with its alert, by a person, or by itself when whoever began it has gone.
 */
export function drill(s: SagaStanding, seen: Pick<SagaSeen, 'signalStands'>, nowMs: number): SagaMove {
  if (!s.wouldHave) {
    const plan = ['look for the cause, and do what the policy of the queue allows'];
    return record('would-have', `${DRILL_MARK}: would look for the cause, and do what the policy of the queue allows`, { plan, why: 'drill' });
  }
  if (s.aborted !== null) return record('resolved', `${DRILL_MARK}: ${s.aborted.by} has ended it; nothing was done`);
  if (seen.signalStands === false) return record('resolved', `${DRILL_MARK}: it is over, and nothing was done`);
  const deadlineMs = s.openedMs + DRILL_WITHIN_MS;
  if (nowMs >= deadlineMs) return record('resolved', `${DRILL_MARK}: nobody has ended it in time; nothing was done`);
  return waitFor('the end of the drill', Math.min(nowMs + LOOK_AGAIN_MS, deadlineMs));
}
