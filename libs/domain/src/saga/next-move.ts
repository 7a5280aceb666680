import { actOf } from './act-of.js';
import { LOOK_AGAIN_MS } from './deadlines.js';
import { escalate, putBackWrite, told } from './escalate.js';
import { note, waitFor, type SagaMove } from './moves.js';
import { MAX_STEPS } from '../incident/incident.js';
import type { RunPolicy } from './run-policy.js';
import type { NoteEvidence } from './step-evidence.js';
import type { SagaSeen } from './seen.js';
import { abort } from './stages/abort.js';
import { approve, wouldHave } from './stages/approve.js';
import { assess } from './stages/assess.js';
import { deadLetter } from './stages/dead-letter.js';
import { heedPolicy } from './stages/heed-policy.js';
import { drill } from './stages/drill.js';
import { captureEvidence, quarantine, scaleToZero } from './stages/isolate.js';
import { lookFirst } from './stages/look-first.js';
import { calm, close, readmit, releaseScaler } from './stages/readmit.js';
import { restoreReplicas, rollBack, watchTarget } from './stages/roll-back.js';
import type { Stage } from './stages/stage.js';
import { throttle } from './stages/throttle.js';
import { verify } from './stages/verify.js';
import type { SagaStanding } from './standing.js';
import { seenAgain } from './target.js';

const ROLL_BACK: readonly Stage[] = [approve, lookFirst, throttle, captureEvidence, quarantine, scaleToZero, rollBack, restoreReplicas, watchTarget, releaseScaler, verify, readmit, close];
const DEAD_LETTER: readonly Stage[] = [approve, throttle, deadLetter, verify, readmit, close];
const THROTTLE: readonly Stage[] = [approve, throttle, calm, readmit, close];
const HELD: readonly Stage[] = [wouldHave, throttle, calm, readmit, close];

/**
 * What is done next about a run: a pure function of its steps, of one look at everything, and of the time.
 *
 *   observe ─► decide ─► one move ─► stop: what was seen is stale
 *
 * A move that acts follows a step that announced it, so whoever goes on after a kill finds it announced, looks whether it
 * stands already, and does it again if not. Every act is repeatable, every wait has an end, and every end that is not `resolved`
 * is a person's: there is no order of faults in which a run goes round for ever.
 */
export function nextMove(s: SagaStanding, seen: SagaSeen, policy: RunPolicy, nowMs: number): SagaMove {
  return withinSteps(s, decide(s, seen, policy, nowMs), nowMs);
}

function decide(s: SagaStanding, seen: SagaSeen, policy: RunPolicy, nowMs: number): SagaMove {
  if (s.over) return REST;
  if (s.about.drill === true) return drill(s, seen, nowMs);
  if (s.escalated !== null) return REST;
  if (!seen.actionsOn) return held(s, seen, policy, nowMs);
  if (s.held) return note('actions are on again: it goes on from a new look', { held: false });
  const back = putBack(s, seen, policy, nowMs);
  if (back !== null) return back;
  if (s.aborted !== null) return abort(s, seen, policy, nowMs) ?? REST;
  if (s.toTell !== null) return told(s, s.toTell.code, s.toTell.reason, s.toTell.evidence);
  if (s.unreadable !== null) return lost(s, s.unreadable, nowMs);
  if (seenAgain(s, seen.target)) return note('the target can be looked at again', { lookFault: null });
  for (const stage of [assess, heedPolicy, ...stagesOf(s)]) {
    const move = stage(s, seen, policy, nowMs);
    if (move !== null) return move;
  }
  return REST;
}

const REST: SagaMove = { kind: 'rest' };

function stagesOf({ cause }: SagaStanding): readonly Stage[] {
  if (cause === null) return [];
  if (cause.plan.held !== null) return HELD;
  switch (cause.plan.does) {
    case 'roll-back':
      return ROLL_BACK;
    case 'dead-letter':
      return DEAD_LETTER;
    case 'throttle':
      return THROTTLE;
    case 'nothing':
      return [];
  }
}

/** No look would find what a step no longer says. */
function lost(s: SagaStanding, { n, type }: NonNullable<SagaStanding['unreadable']>, nowMs: number): SagaMove {
  return escalate(s, nowMs, 'unreadable_step', `step ${String(n)}, \`${type}\`, does not say what the run goes by: nothing more is done of it`);
}

/** Left for giving back what was taken away, and for telling of it. */
const STEPS_TO_END = 20;

/** An incident takes so many notes and no more: what would be noted without end, such as a switch that is thrown to and fro, is a person's. */
function withinSteps(s: SagaStanding, move: SagaMove, nowMs: number): SagaMove {
  if (move.kind !== 'record' || move.step.type !== 'noted') return move;
  const why = `the run has taken ${String(s.n)} steps, and may not go on for ever`;
  if (s.n >= MAX_STEPS) return told(s, 'too_many_steps', why);
  const { intends, held: switched } = (move.step.evidence ?? {}) as NoteEvidence;
  const ends = intends === 'put-back' || intends === 'lift' || switched !== undefined;
  return s.n >= MAX_STEPS - STEPS_TO_END && !ends ? escalate(s, nowMs, 'too_many_steps', why) : move;
}

/** With the stop switch off nothing is done, and no time runs out. What it comes from is told all the same. */
function held(s: SagaStanding, seen: SagaSeen, policy: RunPolicy, nowMs: number): SagaMove {
  if (s.aborted === null && s.intent === null && !s.held && s.unreadable === null) {
    const move = assess(s, seen, policy, nowMs);
    if (move !== null) return move;
  }
  if (!s.held) return note('actions are off: it stands still', { held: true });
  return waitFor('the stop switch', nowMs + LOOK_AGAIN_MS);
}

/** What was announced to be put back, and then why it was. */
function putBack(s: SagaStanding, seen: SagaSeen, policy: RunPolicy, nowMs: number): SagaMove | null {
  const { intent } = s;
  if (intent?.does !== 'put-back') return null;
  const { code, reason, evidence = {} } = intent.because ?? { code: 'aborted', reason: 'the run was aborted' };
  const wanted = putBackWrite(s);
  if (wanted === null) return told(s, code, reason, evidence);
  return actOf(s, intent, seen, policy, nowMs, { does: 'write', wanted }, (failed, why) => {
    const left = !s.scaled ? 'the scaler stays paused' : `${s.about.target ?? 'the target'} stays at 0`;
    return told(s, code, `${reason}; ${left}: ${why}`, { ...evidence, notPutBack: failed });
  });
}
