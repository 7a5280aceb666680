import { snapshotOf } from '../../rollout/snapshot.js';
import { LOOK_AGAIN_MS } from '../deadlines.js';
import { escalate } from '../escalate.js';
import { waitFor } from '../moves.js';
import type { TargetLook } from '../seen.js';
import { badRevision, type SagaStanding } from '../standing.js';
import { chosen, isPassing } from '../target.js';
import type { Stage } from './stage.js';

export interface Against {
  readonly code: string;
  readonly why: string;
}

/**
 * Who asks for a rollback gets one, or is told before anything is done why there can be none. A run of Jobwarden's own isolates
 * all the same: its queues are critical, and refusing the revision helps them without anything to go back to. So it does for a
 * person who lets it go on.
 */
export const lookFirst: Stage = (s, seen, _policy, nowMs) => {
  if (!looksFirst(s)) return null;
  if (seen.target === null) return waitFor('a look at the target', nowMs + LOOK_AGAIN_MS);
  const against = knownAgainst(s, seen.target);
  if (against === null) return null;
  return escalate(s, nowMs, against.code, `nothing was done: ${against.why}; an approval lets ${badRevision(s) ?? 'it'} be refused all the same`);
};

/** Nothing was done yet, and nobody has said that it is to be done whatever the target says; nor is anybody asked to, which comes to the same. */
export function looksFirst(s: SagaStanding): boolean {
  return rollsBackByHand(s) && s.cause?.plan.held === null && !s.cause.plan.needsApproval && !s.approved && !hasBegun(s);
}

export function rollsBackByHand(s: SagaStanding): boolean {
  return s.about.source === 'person' && s.about.target !== null && s.cause?.plan.does === 'roll-back' && badRevision(s) !== null;
}

/** Why there will be no rollback, as far as one look can tell; null: nothing is known against it. A target or a database that cannot be reached just now may be, later. */
export function knownAgainst(s: SagaStanding, look: TargetLook): Against | null {
  if ('fault' in look) {
    const { code, detail } = look.fault;
    return isPassing(code) ? null : { code, why: `${s.about.target ?? 'the target'} cannot be looked at: ${detail}` };
  }
  const choice = chosen(s, look);
  if ('refused' in choice) return choice.passing === true ? null : { code: choice.refused, why: choice.why };
  const taken = snapshotOf(look.seen, 0);
  return 'refused' in taken ? { code: taken.refused, why: taken.why } : null;
}

function hasBegun(s: SagaStanding): boolean {
  return s.intent !== null || s.throttledMs !== null || s.evidence !== null || s.quarantined || s.rollback !== null || s.rolledBackMs !== null;
}
