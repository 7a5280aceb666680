import { actOf } from '../act-of.js';
import { THROTTLE_WITHIN_MS } from '../deadlines.js';
import { intend } from '../moves.js';
import type { Stage } from './stage.js';
import { howMany, verb } from '../../words/how-many.js';

/** Intake down to the first step of readmission, for every queue of the run. What a person has paused or slowed further stays so. */
export const throttle: Stage = (s, seen, policy, nowMs) => {
  if (s.cause?.plan.throttles !== true || s.throttledMs !== null) return null;
  const percent = policy.readmit.steps[0] ?? 1;
  if (s.intent?.does === 'throttle') return actOf(s, s.intent, seen, policy, nowMs, { does: 'set-share', percent });
  const queues = seen.intake?.queues ?? s.about.queueCount;
  return intend('throttle', `${howMany(queues, 'queue')} ${verb(queues, 'is', 'are')} about to let in ${String(percent)} % of what is normal`, nowMs + THROTTLE_WITHIN_MS, {
    before: { ...seen.intake?.before },
    percent,
  });
};

/** `3 queues let in 10 % of what is normal`. */
export function letIn(queues: number, what: string): string {
  return `${howMany(queues, 'queue')} ${verb(queues, 'lets', 'let')} ${what}`;
}
