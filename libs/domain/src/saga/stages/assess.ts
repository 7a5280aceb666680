import { ASSESS_EVERY_MS, ASSESS_WITHIN_MS, ASSESSMENTS, LOOK_AGAIN_MS } from '../deadlines.js';
import { escalate } from '../escalate.js';
import { record, waitFor, type SagaMove } from '../moves.js';
import { planOf } from '../plan.js';
import type { Assessed } from '../seen.js';
import { isUnclear } from '../standing.js';
import type { RunAbout } from '../step-evidence.js';
import type { Stage } from './stage.js';
import { causeWords } from '../../cause/cause-words.js';

/**
 * What it comes from. One look that finds nothing, or nothing sure, is not the last while the signal stands: the window may be
 * too young to say, as when all that speaks against a release is of one half minute.
 */
export const assess: Stage = (s, seen, policy, nowMs) => {
  const { cause } = s;
  if (cause !== null && (!isUnclear(s) || s.assessments >= ASSESSMENTS || (s.assessments > 0 && seen.signalStands === false))) {
    const { refused } = cause.plan;
    return refused === null ? null : escalate(s, nowMs, refused.code, refused.why);
  }
  const againMs = cause === null || s.assessments === 0 ? nowMs : cause.atMs + ASSESS_EVERY_MS;
  if (nowMs < againMs) return waitFor('a clearer picture of the cause', againMs);
  const assessed = named(s.about) ?? seen.assessed;
  if (assessed === null) {
    const sinceMs = Math.max(cause?.atMs ?? 0, s.goesOnMs);
    if (nowMs < sinceMs + ASSESS_WITHIN_MS) return waitFor('the window of the log', nowMs + LOOK_AGAIN_MS);
    return escalate(s, nowMs, 'not_assessed', 'the log could not be read for what it comes from');
  }
  return assessedAs(assessed, s.about, planOf(s.about, assessed, policy, nowMs));
};

function assessedAs({ assessment, firstSeenMs }: Assessed, { source, revision }: RunAbout, plan: object): SagaMove {
  const { cause, subject, confidence, selfSustained, action, evidence } = assessment;
  const what = subject === null ? causeWords(cause) : `${causeWords(cause)}: ${subject}`;
  const sure = source === 'person' && revision !== null ? 'as the person who opened it says' : `${String(Math.round(100 * confidence))} % sure`;
  return record('cause-assessed', `${what}, ${sure}`, { cause, subject, confidence, selfSustained, action, firstSeenMs, says: evidence.slice(0, 12), plan });
}

/** The person who opened it has said what is to blame. */
function named({ source, revision }: RunAbout): Assessed | null {
  if (source !== 'person' || revision === null) return null;
  const says = 'the person who opened the incident names it';
  const evidence = [{ says, figures: {} }];
  return { assessment: { cause: 'bad_revision', subject: revision, confidence: 1, selfSustained: false, action: 'rollback', evidence }, firstSeenMs: null };
}
