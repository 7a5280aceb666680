import { snapshotOf } from '../rollout/snapshot.js';
import type { RunPolicy } from './run-policy.js';
import type { SagaSeen } from './seen.js';
import { badRevision, type SagaStanding } from './standing.js';
import { knownAgainst, rollsBackByHand } from './stages/look-first.js';
import { chosen } from './target.js';
import { howMany } from '../words/how-many.js';

/** What the run would do from here on, a sentence each, by one look at the target. */
export function planSays(s: SagaStanding, seen: SagaSeen, policy: RunPolicy): readonly string[] {
  const { cause, about } = s;
  if (cause === null) return [];
  const against = seen.target === null || cause.plan.needsApproval || !rollsBackByHand(s) ? null : knownAgainst(s, seen.target);
  if (against !== null) return [`do nothing, and ask a person: ${against.why}`];
  const { throttles, does } = cause.plan;
  const percent = String(policy.readmit.steps[0] ?? 1);
  const says = throttles || does === 'throttle' ? [`let ${howMany(about.queueCount, 'queue')} in at ${percent} % of what is normal`] : [];
  const bad = badRevision(s);
  if (does === 'dead-letter') says.push(`dead-letter the job ${cause.subject ?? ''}`);
  if (does !== 'roll-back' || bad === null) return says;
  says.push(`keep the report and the heap of a worker of ${bad}`, `refuse ${bad} everywhere`);
  if (about.target === null) return [...says, 'roll nothing back, since no target is named'];
  if (policy.scaleToZero) says.push(`scale ${about.target} to 0 until no pod of it is left`);
  return [...says, ofTarget(s, seen)];
}

function ofTarget(s: SagaStanding, { target }: SagaSeen): string {
  const name = s.about.target ?? '';
  if (target === null) return `roll ${name} back`;
  if ('fault' in target) return `roll ${name} back, if it can be looked at by then: ${target.fault.detail}`;
  const taken = snapshotOf(target.seen, 0);
  if ('refused' in taken) return `roll nothing back: ${taken.why}`;
  const choice = chosen(s, target);
  if ('refused' in choice && choice.passing === true) return `roll ${name} back, if its schema is known by then: ${choice.why}`;
  if ('refused' in choice) return `roll nothing back, and ask a person: ${choice.why}`;
  return `give ${name} the release of ${choice.release.revision ?? choice.release.id}, with ${howMany(taken.snapshot.replicas, 'replica')} as now`;
}
