import { describe, expect, it } from 'vitest';
import { DRILL_NAMESPACE, DRILL_QUEUE } from '#libs/domain';
import { DEFAULT_POLICY, fixedPolicies } from '#libs/testing';
import { withDrills } from './with-drills.js';

const rollback = { ...DEFAULT_POLICY.rollback, target: 'shop/workers' };
const policies = withDrills(fixedPolicies({ rollback, owner: 'queue', claims: 'required', heartbeats: 'none' }, 'act'));

describe('the policy of a drill', () => {
  it('lets nothing act and names no target, and its silent worker is noticed, whatever holds for everything', () => {
    const { policy, levels } = policies.policyFor({ namespace: DRILL_NAMESPACE, queue: DRILL_QUEUE }, 'drill');
    expect([...new Set([...Object.values(levels), ...Object.values(policy.levels)])]).toEqual(['observe']);
    expect(policy).toMatchObject({ rollback: { target: null }, owner: 'jobwarden', claims: 'off', heartbeats: 'auto' });
  });

  it('is that of its namespace alone', () => {
    const { policy, levels } = policies.policyFor({ namespace: 'default', queue: DRILL_QUEUE }, null);
    expect([levels.rollback, policy.rollback.target, policy.owner]).toEqual(['act', 'shop/workers', 'queue']);
  });
});
