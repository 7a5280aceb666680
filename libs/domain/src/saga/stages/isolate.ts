import { heldAtZero, zeroLook } from '../../rollout/gone.js';
import { isolationWrite, snapshotOf } from '../../rollout/snapshot.js';
import { actOf } from '../act-of.js';
import { EVIDENCE_WITHIN_MS, ISOLATE_ALONE_WITHIN_MS, ISOLATE_WITHIN_MS, LOOK_AGAIN_MS, SCALE_WITHIN_MS, TRIES, TRY_AGAIN_MS, ZERO_LOOK_EVERY_MS } from '../deadlines.js';
import { escalate } from '../escalate.js';
import { intend, note, record, waitFor, type SagaMove } from '../moves.js';
import { badRevision, type SagaStanding } from '../standing.js';
import { chosen, refusedChoice, targetFault } from '../target.js';
import type { Stage } from './stage.js';
import { howMany, verb } from '../../words/how-many.js';

/** Report and heap of a bad worker, before its pods are gone. Whatever comes of it within its time, the run goes on. */
export const captureEvidence: Stage = (s, seen, policy, nowMs) => {
  const revision = badRevision(s);
  if (revision === null || s.evidence !== null) return null;
  if (s.intent?.does !== 'capture-evidence') {
    return intend('capture-evidence', `a worker of ${revision} is asked for a report and its heap`, nowMs + EVIDENCE_WITHIN_MS);
  }
  const { outcome = 'not-asked', figures = {} } = seen.evidence ?? {};
  const captured = (what: string, said: string): SagaMove => record('evidence-captured', said, { ...figures, outcome: what });
  if (outcome === 'captured') return captured(outcome, `what a worker of ${revision} knew of itself is kept`);
  if (outcome === 'no-worker') return captured(outcome, `no worker of ${revision} is there to be asked`);
  if (outcome === 'timed-out' || nowMs >= s.intent.deadlineMs) return captured('timed-out', `no worker of ${revision} has answered in time`);
  if (outcome === 'asked') return waitFor('the evidence of a bad worker', Math.min(nowMs + LOOK_AGAIN_MS, s.intent.deadlineMs));
  return actOf(s, s.intent, seen, policy, nowMs, { does: 'capture-evidence', revision }, (_code, why) => captured('failed', `it could not be asked: ${why}`));
};

/**
 * Refused everywhere, and no live lease. Where a target will end its pods the leases need not be waited out: isolation is told
 * once it is true, and the rollback begins meanwhile.
 */
export const quarantine: Stage = (s, seen, policy, nowMs) => {
  const revision = badRevision(s);
  if (revision === null || s.isolatedMs !== null || s.isolatedLate || s.zero !== null) return null;
  const { refusedEverywhere = false, liveLeases = 0 } = seen.quarantine ?? {};
  if (s.intent?.does === 'scale-to-zero') return null;
  if (s.intent?.does !== 'isolate') {
    const withinMs = s.about.target === null ? ISOLATE_ALONE_WITHIN_MS : ISOLATE_WITHIN_MS;
    return intend('isolate', `${revision} is about to be refused everywhere`, nowMs + withinMs, { before: { refusedEverywhere, liveLeases } });
  }
  const { deadlineMs } = s.intent;
  const againMs = Math.min(nowMs + LOOK_AGAIN_MS, deadlineMs);
  // What a person has refused for the whole namespace, the person may let in again: the run's own refusal stands beside it.
  if (refusedEverywhere && seen.tries.count > 0) {
    if (wantsZero(s, policy)) return null;
    if (liveLeases === 0) return isolated(revision, seen.quarantine);
    if (nowMs < deadlineMs) return waitFor(`the end of ${howMany(liveLeases, 'lease')} of ${revision}`, againMs);
    const said = `${revision} is refused everywhere, but ${howMany(liveLeases, 'lease')} of it ${verb(liveLeases, 'runs', 'run')} on`;
    return s.about.target === null ? escalate(s, nowMs, 'leases_run_on', said, { liveLeases }) : note(`${said}: the rollback ends the workers`, { runsOn: liveLeases });
  }
  if (nowMs >= deadlineMs) return escalate(s, nowMs, 'not_refused_everywhere', `not every replica refuses ${revision} yet`);
  const { lastMs, count } = seen.tries;
  // It stands by now, or the next look would say so: a replica that has died is waited for, and not asked again and again.
  const pending = lastMs !== null && s.faults.length === 0 && (count >= TRIES || nowMs < lastMs + TRY_AGAIN_MS);
  if (pending) return waitFor(`every replica to refuse ${revision}`, againMs);
  return actOf(s, s.intent, seen, policy, nowMs, { does: 'quarantine', revision });
};

/** No pod at all, where a bad worker does harm that refusing it work does not end: only where the policy says so, with something to go back to. */
export const scaleToZero: Stage = (s, seen, policy, nowMs) => {
  const revision = badRevision(s);
  if (revision === null || s.isolatedMs !== null || !wantsZero(s, policy)) return null;
  const look = seen.target;
  if (look === null || 'fault' in look) return targetFault(s, look, nowMs);
  if (s.intent?.does === 'scale-to-zero') {
    return s.snapshot === null ? null : actOf(s, s.intent, seen, policy, nowMs, { does: 'write', wanted: isolationWrite(s.snapshot) });
  }
  if (s.zero !== null) return held(s, s.zero, revision, look.seen, nowMs);
  const choice = chosen(s, look);
  if ('refused' in choice) {
    return choice.refused === 'already_stable' ? isolated(revision, seen.quarantine) : refusedChoice(s, choice, nowMs);
  }
  const taken = snapshotOf(look.seen, nowMs);
  if ('refused' in taken) return isolated(revision, seen.quarantine);
  const { snapshot } = taken;
  return intend('scale-to-zero', `${snapshot.target} is about to be scaled from ${String(snapshot.replicas)} to 0`, nowMs + SCALE_WITHIN_MS, { snapshot });
};

/** Told late: once the rollback has ended what ran on. */
export const isolatedAfterAll: Stage = (s, seen) => {
  const revision = badRevision(s);
  if (revision === null || s.isolatedMs !== null || seen.quarantine === null) return null;
  const { refusedEverywhere, liveLeases } = seen.quarantine;
  return refusedEverywhere && liveLeases === 0 ? isolated(revision, seen.quarantine) : null;
};

function held(s: SagaStanding, zero: NonNullable<SagaStanding['zero']>, revision: string, seen: Parameters<typeof zeroLook>[0], nowMs: number): SagaMove {
  const last = zero.looks.at(-1) ?? null;
  const hold = heldAtZero(zero.looks);
  if (hold.state === 'bounced') {
    const reason = `${hold.by} wants ${howMany(hold.wanted, 'pod')} again while ${seen.target} is held at 0`;
    return escalate(s, nowMs, 'isolation_bounced', reason, { manager: hold.by });
  }
  if (hold.state === 'held') return isolated(revision, null, { pods: 0, looks: zero.looks.length });
  if (nowMs >= Math.max(zero.atMs, s.goesOnMs) + SCALE_WITHIN_MS) return escalate(s, nowMs, 'not_at_zero', `${seen.target} has pods still: ${hold.why}`);
  const emptied = seen.pods.length === 0 && seen.wanted === 0;
  const wasEmpty = last !== null && last.pods === 0 && last.wanted === 0;
  const dueMs = last === null || seen.wanted > 0 || (emptied && !wasEmpty) ? nowMs : last.atMs + ZERO_LOOK_EVERY_MS;
  if (nowMs < dueMs || (!emptied && seen.wanted === 0 && last !== null)) return waitFor(hold.why, Math.max(dueMs, nowMs + LOOK_AGAIN_MS));
  return note(`${howMany(seen.pods.length, 'pod')} of ${seen.target} ${verb(seen.pods.length, 'is', 'are')} there`, { zeroLook: zeroLook(seen, nowMs) });
}

function wantsZero({ about }: SagaStanding, { scaleToZero: wanted }: { readonly scaleToZero: boolean }): boolean {
  return wanted && about.target !== null;
}

function isolated(revision: string, after: object | null, more: object = {}): SagaMove {
  return record('isolated', `${revision} is refused everywhere and holds no live lease`, { after: { ...after, ...more } });
}
