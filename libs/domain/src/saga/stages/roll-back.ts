import { afterConflict, conflictOf } from '../../rollout/conflict.js';
import { podReasons, rolledOut } from '../../rollout/rolled-out.js';
import { rollbackWrite, snapshotOf, type WorkloadSnapshot } from '../../rollout/snapshot.js';
import type { WorkloadSeen, WorkloadWritten } from '../../rollout/workload.js';
import { actOf } from '../act-of.js';
import { LOOK_AGAIN_MS, ROLL_BACK_WITHIN_MS } from '../deadlines.js';
import { escalate } from '../escalate.js';
import { record, waitFor, type SagaMove } from '../moves.js';
import { badRevision, type Rollback, type SagaStanding } from '../standing.js';
import type { RunPolicy } from '../run-policy.js';
import { chosen, refusedChoice, targetFault } from '../target.js';
import type { Stage } from './stage.js';
import { howMany, verb } from '../../words/how-many.js';

/** The target gets the release that proved healthy, with the replicas that it had: one write. */
export const rollBack: Stage = (s, seen, policy, nowMs) => {
  if (s.rolledBackMs !== null) return null;
  if (s.about.target === null) return passedOver('no target is named for it: the revision is refused, and nothing is rolled back');
  const look = seen.target;
  if (look === null || 'fault' in look) return targetFault(s, look, nowMs, s.intent?.deadlineMs);
  const { intent, rollback, snapshot } = s;
  if (intent?.does === 'roll-back' && rollback !== null && snapshot !== null) {
    const wanted = rollbackWrite(snapshot, rollback.release, s.scaled);
    return actOf(s, intent, seen, policy, nowMs, { does: 'write', wanted });
  }
  return begin(s, look, nowMs);
};

function begin(s: SagaStanding, look: Parameters<typeof chosen>[1], nowMs: number): SagaMove {
  const taken = s.snapshot === null ? snapshotOf(look.seen, nowMs) : { snapshot: s.snapshot };
  if ('refused' in taken) return passedOver(taken.why);
  const choice = chosen(s, look);
  if ('refused' in choice) {
    const done = s.rollback === null ? null : standsAlready(s.rollback, taken.snapshot, look.seen, nowMs);
    if (done !== null) return done;
    const mended = choice.refused === 'already_stable' && s.rollback === null && !s.scaled;
    return mended ? passedOver(`${choice.why}: somebody has gone on`) : refusedChoice(s, choice, nowMs);
  }
  const { snapshot } = taken;
  const { id, revision } = choice.release;
  return record('rollback-begun', `${snapshot.target} is about to be given the release of ${revision ?? id}, with ${howMany(snapshot.replicas, 'replica')}`, {
    snapshot,
    release: { id, revision },
    before: { revision: look.seen.revision, releaseId: look.seen.releaseId, replicas: look.seen.wanted },
    after: { revision, releaseId: id, replicas: snapshot.replicas },
    passedOver: choice.passedOver,
    deadlineMs: nowMs + ROLL_BACK_WITHIN_MS,
  });
}

/** As many as before are up, of that release, and no pod of the bad one. */
export const restoreReplicas: Stage = (s, seen, policy, nowMs) => {
  if (s.restoredMs !== null) return null;
  const { written = null, deadlineMs = nowMs } = s.rollback ?? {};
  if (written === null) return record('replicas-restored', 'passed over: nothing was rolled back', { passedOver: 'nothing was rolled back' });
  const look = seen.target;
  if (look === null || 'fault' in look) return targetFault(s, look, nowMs, deadlineMs);
  const bad = badsOf(s);
  const rollout = rolledOut(look.seen, { written, bad, nowMs, deadlineMs });
  switch (rollout.state) {
    case 'done':
      return record('replicas-restored', `${howMany(look.seen.available, 'replica')} of ${written.revision ?? 'the release'} ${verb(look.seen.available, 'is', 'are')} updated and available`, {
        after: { replicas: look.seen.wanted, updated: look.seen.updated, available: look.seen.available, pods: look.seen.pods.length },
      });
    case 'waiting':
      return waitFor(rollout.why, Math.min(nowMs + LOOK_AGAIN_MS, deadlineMs));
    case 'failed':
      return rollout.code === 'conflict'
        ? contested(s, look.seen, { written, policy, nowMs })
        : escalate(s, nowMs, `rollout_${rollout.code}`, `the rollback did not come out: ${rollout.why}`, { pods: rollout.pods });
  }
};

/** As long as the run goes on: whoever writes something else is named. null: what was written stands. */
export const watchTarget: Stage = (s, seen, policy, nowMs) => {
  const written = s.rollback?.written ?? null;
  const look = seen.target;
  if (written === null || s.restoredMs === null || look === null || 'fault' in look) return null;
  return conflictOf(written, look.seen, badsOf(s)) === null ? null : contested(s, look.seen, { written, policy, nowMs });
};

/** It was written, and whoever wrote it had no time to say so. */
function standsAlready({ release }: Rollback, { replicas }: WorkloadSnapshot, seen: WorkloadSeen, nowMs: number): SagaMove | null {
  if (seen.releaseId !== release.id) return null;
  const written: WorkloadWritten = { releaseId: release.id, revision: release.revision, replicas, generation: seen.generation, atMs: nowMs };
  return record('rolled-back', `${seen.target} has the release of ${release.revision ?? release.id}`, { written });
}

interface Contest {
  readonly written: WorkloadWritten;
  readonly policy: Pick<RunPolicy, 'watchMs'>;
  readonly nowMs: number;
}

function contested(s: SagaStanding, seen: WorkloadSeen, { written, policy, nowMs }: Contest): SagaMove {
  const conflict = conflictOf(written, seen, badsOf(s));
  if (conflict === null) return waitFor('another look at the target', nowMs + LOOK_AGAIN_MS);
  const { code, manager, why } = conflict;
  const soon = nowMs - written.atMs <= policy.watchMs;
  if (soon && s.snapshot !== null && s.rollback !== null && afterConflict(conflict, s.rollback.begun) === 'once_more') {
    return onceMore(s.rollback, s.snapshot, seen, why, nowMs);
  }
  return escalate(s, nowMs, code, why, { manager, atMs: conflict.atMs, pods: podReasons(seen.pods) });
}

function onceMore({ release }: Rollback, snapshot: WorkloadSnapshot, seen: WorkloadSeen, why: string, nowMs: number): SagaMove {
  return record('rollback-begun', `${why}: ${snapshot.target} is given the release of ${release.revision ?? release.id} once more, and not again`, {
    snapshot,
    release,
    before: { revision: seen.revision, releaseId: seen.releaseId, replicas: seen.wanted },
    after: { revision: release.revision, releaseId: release.id, replicas: snapshot.replicas },
    deadlineMs: nowMs + ROLL_BACK_WITHIN_MS,
  });
}

function badsOf(s: SagaStanding): readonly string[] {
  const bad = badRevision(s);
  return bad === null ? [] : [bad];
}

function passedOver(why: string): SagaMove {
  return record('rolled-back', `passed over: ${why}`, { passedOver: why });
}
