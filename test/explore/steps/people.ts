import type { OperatorAction } from '#libs/application';
import { packMessage } from '../messages.js';
import type { Service } from '../service.js';
import { left, spent, withOne, type World } from '../world.js';
import type { Step, Steps } from './step.js';

/** What people ask for: a cancel that may be late, a redrive, a restart; and a restore of the database. */
export const people: Steps = (world, service) => {
  const out: Step[] = [];
  if (left(world, 'cancels') > 0) {
    const code = packMessage({ type: 'cancelled', attempt: 0, worker: 0, run: 0, tokenEpoch: null, known: false });
    const asked = { ...world, facts: withOne(world.facts, code), budget: spent(world, 'cancels') };
    out.push({ by: 'people', say: 'a cancel is requested', take: () => asked });
  }
  if (left(world, 'redrives') > 0) out.push(...operator({ ...world, budget: spent(world, 'redrives') }, 'redrive', service));
  if (left(world, 'restarts') > 0) out.push(...operator({ ...world, budget: spent(world, 'restarts') }, 'restart', service));
  if (left(world, 'epochs') > 0) {
    const raised = { ...world, epoch: world.epoch + 1, budget: spent(world, 'epochs') };
    out.push({ by: 'people', say: 'a restore raises the epoch', take: () => service.leaseChanged({ ...raised, pending: [] }) });
  }
  return out;
};

function operator(world: World, action: OperatorAction, service: Service): Step[] {
  const { state, view } = service.rowOf(world);
  // Nothing is known of the job yet.
  if (service.rowOf(world).log.length === 0) return [];
  const standing = { state, view, epoch: world.epoch, maxRedrives: service.policy.maxRedrives, quarantined: false };
  const decided = service.rules.code.operatorDrafts(action, { reason: 'asked', by: 'anna' }, standing);
  if (decided.kind !== 'decided') return [];
  const { drafts } = decided;
  return [{ by: 'people', say: `an operator decides: ${action}`, take: () => service.commit(world, null, drafts) }];
}
