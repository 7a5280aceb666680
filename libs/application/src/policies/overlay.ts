import type { PolicySource, ResolvedPolicy } from '../ports/policy-source.port.js';

type Asked = Parameters<PolicySource['policyFor']>;

/** The same policies, with something laid over each answer. `version` and `budget` stay those underneath. */
export function overlay(
  policies: PolicySource,
  over: (resolved: ResolvedPolicy, ...asked: Asked) => ResolvedPolicy,
): PolicySource {
  return {
    get version() {
      return policies.version;
    },
    get budget() {
      return policies.budget;
    },
    policyFor: (ref, kind) => over(policies.policyFor(ref, kind), ref, kind),
  };
}
