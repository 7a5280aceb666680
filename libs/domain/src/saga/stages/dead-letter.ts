import { actOf } from '../act-of.js';
import { THROTTLE_WITHIN_MS } from '../deadlines.js';
import { intend } from '../moves.js';
import type { Stage } from './stage.js';

/** The job that takes its workers down with it, out of the queue. */
export const deadLetter: Stage = (s, seen, policy, nowMs) => {
  const job = s.cause?.subject ?? null;
  if (job === null || s.isolatedMs !== null) return null;
  if (s.intent?.does === 'dead-letter') return actOf(s, s.intent, seen, policy, nowMs, { does: 'dead-letter', job });
  return intend('dead-letter', `the job ${job} is about to be dead-lettered`, nowMs + THROTTLE_WITHIN_MS, { job });
};
