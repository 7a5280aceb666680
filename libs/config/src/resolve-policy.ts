import type { PolicyEntry, PolicyFile, PolicyScope, ResolvedPolicy } from './policy-types.js';

/**
 * The policy of a queue or of a kind of job in it, and where each value was written. Precedence: kind, queue,
 * the namespace's defaults, the file's defaults, built in. Three look-ups, no allocation: every policy was
 * resolved when the file was read.
 */
export function resolvePolicy(file: PolicyFile, scope: PolicyScope): ResolvedPolicy {
  const namespace = file.namespaces.get(scope.namespace);
  if (namespace === undefined) return file.defaults;
  const queue = namespace.queues.get(scope.queue);
  if (queue === undefined) return namespace.resolved;
  return (scope.kind === undefined ? undefined : queue.kinds.get(scope.kind)) ?? queue.resolved;
}

/** Everything that the file sets, resolved; first the defaults, then by namespace, queue and kind. */
export function listPolicies(file: PolicyFile): readonly PolicyEntry[] {
  const entries: PolicyEntry[] = [{ namespace: null, queue: null, kind: null, resolved: file.defaults }];
  for (const [namespace, scope] of file.namespaces) {
    entries.push({ namespace, queue: null, kind: null, resolved: scope.resolved });
    for (const [queue, { resolved, kinds }] of scope.queues) {
      entries.push({ namespace, queue, kind: null, resolved });
      for (const [kind, own] of kinds) entries.push({ namespace, queue, kind, resolved: own });
    }
  }
  return entries;
}
