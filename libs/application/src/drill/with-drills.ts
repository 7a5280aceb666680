import { ACTIONS, isDrill, type Action, type Level } from '#libs/domain';
import { overlay } from '../policies/overlay.js';
import type { PolicySource, ResolvedPolicy } from '../ports/policy-source.port.js';

const OBSERVED = Object.fromEntries(ACTIONS.map((action) => [action, 'observe'])) as Readonly<Record<Action, Level>>;

/** Its worker is silent under a lease, and that must be seen wherever the rest of the file would not look. */
const ITS_OWN = { levels: OBSERVED, owner: 'jobwarden', claims: 'off', heartbeats: 'auto', schema: null } as const;

/**
 * Policies under which a drill can neither act nor have a target, whatever the file and the operators say: what holds for
 * everything holds for its namespace too, and must not.
 */
export function withDrills(policies: PolicySource): PolicySource {
  const made = new WeakMap<ResolvedPolicy, ResolvedPolicy>();
  return overlay(policies, (resolved, ref) => {
    if (!isDrill(ref)) return resolved;
    let drill = made.get(resolved);
    if (drill === undefined) {
      const { policy } = resolved;
      drill = { ...resolved, levels: OBSERVED, policy: { ...policy, ...ITS_OWN, rollback: { ...policy.rollback, target: null } } };
      made.set(resolved, drill);
    }
    return drill;
  });
}
