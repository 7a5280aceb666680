import { escalate } from '../escalate.js';
import { asksFor } from '../plan.js';
import type { RunPolicy } from '../run-policy.js';
import type { SagaStanding } from '../standing.js';
import type { Stage } from './stage.js';

/**
 * What was planned under another policy goes to a person before it is done: of a level that was lowered since, or a target that no
 * queue of the run names any more. What has been done already is brought to its end.
 */
export const heedPolicy: Stage = (s, _seen, policy, nowMs) => {
  if (!hasToAct(s)) return null;
  const { target } = s.about;
  if (s.cause?.plan.does === 'roll-back' && target !== null && !policy.targets.includes(target)) {
    return escalate(s, nowMs, 'target_removed', `no queue's policy names ${target} any more: it is not touched`);
  }
  const lowered = s.approved || s.cause?.plan.needsApproval === true || asksFor(s.about) ? null : loweredBy(s, policy);
  if (lowered === null) return null;
  return escalate(s, nowMs, 'level_lowered', `the policy has changed meanwhile: ${lowered}; an approval lets it go on all the same`);
};

/** Whether what the plan is for is still to be done. */
function hasToAct({ cause, rollback, rolledBackMs, isolatedMs, throttledMs }: SagaStanding): boolean {
  if (cause === null || cause.plan.held !== null) return false;
  switch (cause.plan.does) {
    case 'roll-back':
      return rolledBackMs === null && (rollback?.written ?? null) === null;
    case 'dead-letter':
      return isolatedMs === null;
    case 'throttle':
      return throttledMs === null;
    case 'nothing':
      return false;
  }
}

function loweredBy({ cause }: SagaStanding, { levels, approval }: RunPolicy): string | null {
  switch (cause?.plan.does) {
    case 'roll-back':
      return levels.rollback === 'act' ? (approval ? 'a rollback needs an approval' : null) : `rollback is at ${levels.rollback}`;
    case 'dead-letter':
      return levels.deadLetter === 'act' ? null : `deadLetter is at ${levels.deadLetter}`;
    case 'throttle':
      return levels.throttle === 'act' ? null : `throttle is at ${levels.throttle}`;
    default:
      return null;
  }
}
