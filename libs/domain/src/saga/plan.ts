import { STABLE_AFTER_MS } from './deadlines.js';
import type { RunPolicy } from './run-policy.js';
import type { Assessed } from './seen.js';
import type { RunPlan, RunAbout } from './step-evidence.js';
import { causeWords } from '../cause/cause-words.js';

/**
 * What an assessment leads to, under the policy of the moment. Only a bad revision is rolled back, and only one that is new:
 * where nothing was deployed for a day the revision that runs is the stable one, whatever the figures say of it.
 *
 * Levels bind what Jobwarden does of its own accord. A person who names a revision asks for it, and is not asked again.
 */
export function planOf(about: RunAbout, { assessment, firstSeenMs }: Assessed, policy: RunPolicy, nowMs: number): RunPlan {
  const { levels, approval } = policy;
  const byHand = asksFor(about);
  switch (assessment.action) {
    case 'rollback':
      if (!byHand && firstSeenMs !== null && nowMs - firstSeenMs >= STABLE_AFTER_MS) {
        return nothing('no_recent_deploy', `${assessment.subject ?? 'it'} has run for a day: nothing was deployed that could be taken back`);
      }
      if (assessment.subject === null) return nothing('cause_unknown', 'no revision is named that could be taken out of service');
      return ofLevel('roll-back', levels.rollback, !byHand && approval, about, policy);
    case 'dead-letter':
      return assessment.subject === null
        ? nothing('cause_unknown', 'no job is named that could be taken out')
        : ofLevel('dead-letter', levels.deadLetter, false, about, policy);
    case 'throttle':
      return ofLevel('throttle', levels.throttle, false, about, policy);
    case 'escalate':
      return assessment.cause === 'unknown'
        ? nothing('cause_unknown', 'nothing in the log says what it comes from')
        : nothing('cause_needs_person', `${causeWords(assessment.cause)} is likely, and not sure enough to be acted on`);
  }
}

/** Whether a person has asked for just this. */
export function asksFor({ source, revision, dryRun }: RunAbout): boolean {
  return source === 'person' && revision !== null && !dryRun;
}

function nothing(code: string, why: string): RunPlan {
  return { does: 'nothing', throttles: false, needsApproval: false, held: null, refused: { code, why } };
}

function ofLevel(does: RunPlan['does'], level: RunPolicy['levels']['rollback'], approval: boolean, about: RunAbout, { levels }: RunPolicy): RunPlan {
  const byHand = asksFor(about);
  const held = about.dryRun ? 'dry-run' : level === 'observe' && !byHand ? 'observe' : null;
  const needsApproval = held === null && !byHand && (level === 'approve' || approval);
  const throttles = !about.dryRun && (byHand || levels.throttle === 'act' || (levels.throttle === 'approve' && needsApproval));
  return { does, throttles, needsApproval, held, refused: null };
}
