import { APPROVE_WITHIN_MS, LOOK_AGAIN_MS } from '../deadlines.js';
import { escalate } from '../escalate.js';
import { record, waitFor } from '../moves.js';
import { planSays } from '../plan-says.js';
import type { Stage } from './stage.js';

/** A person who has not answered within the hour is paged again; the run then goes on by an approval as before. */
export const approve: Stage = (s, seen, policy, nowMs) => {
  if (s.cause?.plan.needsApproval !== true || s.approved) return null;
  if (s.approval === null) {
    const plan = planSays(s, seen, policy);
    const deadlineMs = nowMs + APPROVE_WITHIN_MS;
    return record('approval-requested', `a person has to approve: ${plan.join(', then ')}`, { plan, deadlineMs });
  }
  if (seen.signalStands === false) return record('resolved', 'the signal was over before anybody approved: nothing was done');
  if (nowMs < s.approval.deadlineMs) return waitFor('a person’s approval', Math.min(nowMs + LOOK_AGAIN_MS, s.approval.deadlineMs));
  return escalate(s, nowMs, 'not_approved', 'nobody has approved within an hour; an approval lets it go on all the same');
};

/** What would be done, told once; then it is over with the signal, or at once for a dry run. */
export const wouldHave: Stage = (s, seen, policy) => {
  const held = s.cause?.plan.held ?? null;
  if (held === null) return null;
  if (!s.wouldHave) {
    const plan = planSays(s, seen, policy);
    const why = held === 'dry-run' ? 'dry run' : 'at observe';
    return record('would-have', `${why}: would ${plan.join(', then ')}`, { plan, why: held });
  }
  return held === 'dry-run' ? record('resolved', 'a dry run: nothing was done') : null;
};
