import { actOf } from '../act-of.js';
import { CALM_WITHIN_MS, LOOK_AGAIN_MS, PUT_BACK_WITHIN_MS, THROTTLE_WITHIN_MS } from '../deadlines.js';
import { escalate, putBackWrite } from '../escalate.js';
import { intend, record, waitFor, type SagaMove } from '../moves.js';
import type { RunPolicy } from '../run-policy.js';
import type { SagaSeen } from '../seen.js';
import { badRevision, type SagaStanding } from '../standing.js';
import type { Stage } from './stage.js';
import { letIn } from './throttle.js';
import { howManyOf } from '../../words/how-many.js';

/** A cause that only people can mend: the throttle stands until the signal is over. */
export const calm: Stage = (s, seen, _policy, nowMs) => {
  if (s.readmit !== null || s.intent?.does === 'lift') return null;
  if (seen.signalStands === false) return null;
  const deadlineMs = s.goesOnMs + CALM_WITHIN_MS;
  if (nowMs < deadlineMs) return waitFor('the end of the signal', Math.min(nowMs + LOOK_AGAIN_MS, deadlineMs));
  return escalate(s, nowMs, 'still_saturated', 'the signal has gone on for an hour');
};

/** A scaler that was paused goes on, once the replicas are back. */
export const releaseScaler: Stage = (s, seen, policy, nowMs) => {
  const wanted = putBackWrite(s);
  if (wanted === null || s.putBack) return null;
  if (s.intent?.does === 'release-scaler') return actOf(s, s.intent, seen, policy, nowMs, { does: 'write', wanted });
  return intend('release-scaler', 'the scaler is about to be told to go on', nowMs + PUT_BACK_WITHIN_MS);
};

/** Intake comes back in steps; each is held for a time, and taken back when failures rise again. */
export const readmit: Stage = (s, seen, policy, nowMs) => {
  if (s.throttledMs === null || s.lifted || s.intent?.does === 'lift') return null;
  const { steps, holdMs } = policy.readmit;
  if (s.readmit === null) return shared('readmitting', s, policy, { step: 0, falls: 0 });
  const { step, sinceMs, falls } = s.readmit;
  const percent = steps[step] ?? 100;
  if (s.intent?.does === 'set-share' && seen.intake !== null && seen.intake.percent !== percent) {
    const intent = { ...s.intent, deadlineMs: s.intent.atMs + THROTTLE_WITHIN_MS };
    return actOf(s, intent, seen, policy, nowMs, { does: 'set-share', percent });
  }
  if (failsAgain(seen, policy)) {
    if (falls + 1 >= policy.readmit.falls) return escalate(s, nowMs, 'readmission_failed', `${ratioOf(seen)} at ${String(percent)} %, for the ${ordinal(falls + 1)} time`);
    return shared('readmission-fell-back', s, policy, { step: Math.max(0, step - 1), falls: falls + 1 }, `${ratioOf(seen)}: back to`);
  }
  if (nowMs < sinceMs + holdMs) return waitFor(`${String(percent)} % to hold`, Math.min(nowMs + LOOK_AGAIN_MS, sinceMs + holdMs));
  return step + 1 < steps.length ? shared('readmitting', s, policy, { step: step + 1, falls }) : null;
};

/** The throttle is lifted, a revert would have shown by now, and the incident is over. The bad revision stays refused. */
export const close: Stage = (s, seen, policy, nowMs) => {
  if (s.throttledMs !== null && !s.lifted) {
    if (s.intent?.does === 'lift') return actOf(s, s.intent, seen, policy, nowMs, { does: 'lift' });
    return intend('lift', letIn(seen.intake?.queues ?? s.about.queueCount, 'everything in again'), nowMs + THROTTLE_WITHIN_MS);
  }
  const writtenMs = s.rollback?.written?.atMs ?? null;
  if (writtenMs !== null && nowMs <= writtenMs + policy.watchMs) return waitFor('some time without a revert', writtenMs + policy.watchMs + 1);
  const bad = badRevision(s);
  return record('resolved', bad === null || !s.quarantined ? 'the signal is over' : `work succeeds without ${bad}, which stays refused until a person admits it again`);
};

function failsAgain({ sample }: SagaSeen, { readmit: { maxRatio, minSample } }: RunPolicy): boolean {
  if (sample === null) return false;
  const finished = sample.succeeded + sample.failed;
  return finished >= minSample && sample.failed / finished > maxRatio;
}

function ratioOf({ sample }: SagaSeen): string {
  const { succeeded = 0, failed = 0 } = sample ?? {};
  return `${howManyOf(failed, succeeded + failed, 'attempt')} failed`;
}

function shared(type: 'readmitting' | 'readmission-fell-back', s: SagaStanding, { readmit: { steps } }: RunPolicy, at: { step: number; falls: number }, said?: string): SagaMove {
  const percent = steps[at.step] ?? 100;
  const reason = said === undefined ? letIn(s.about.queueCount, `in ${String(percent)} % of what is normal`) : `${said} ${String(percent)} %`;
  return record(type, reason, { ...at, percent });
}

function ordinal(n: number): string {
  return n === 1 ? 'first' : n === 2 ? 'second' : n === 3 ? 'third' : `${String(n)}th`;
}
