import type { Fault } from './fault.js';
import { parsePolicy } from './policy-file.js';
import type { PolicyFile } from './policy-types.js';

/** For specs: a policy that must be good. */
export function goodPolicy(text: string): PolicyFile {
  const result = parsePolicy(text, 'policy.yaml');
  if (!result.ok) throw new Error(JSON.stringify(result.faults, null, 2));
  return result.value;
}

/** For specs: the faults of a policy, none if it is good. */
export function faultsOf(text: string): readonly Fault[] {
  const result = parsePolicy(text, 'policy.yaml');
  return result.ok ? [] : result.faults;
}

/** `line:column code path` of each fault. */
export function placesOf(text: string): readonly string[] {
  return faultsOf(text).map((fault) =>
    `${String(fault.line)}:${String(fault.column)} ${fault.code} ${fault.path}`.trim(),
  );
}
