import { listPolicies, resolvePolicy, type PolicyEntry } from '#libs/config';
import type { PolicyView } from '#libs/contracts';
import { ACTIONS, type QueuePolicy } from '#libs/domain';
import type { Caller } from '../auth/caller.js';
import type { Policies } from '../services.js';

interface PolicyScope {
  readonly namespaces: Caller['namespaces'];
  readonly queue: string | null;
}

type Values = PolicyView['values'];

/** Policies as the file has them, with what operators set over it. */
export function policyViews(policies: Policies, { namespaces, queue }: PolicyScope): PolicyView[] {
  const file = policies.file();
  const entries = listPolicies(file).filter(
    (e) => e.namespace === null || namespaces === 'all' || namespaces.includes(e.namespace),
  );
  if (queue === null) return entries.map((entry) => policyView(policies, entry));
  const named = entries.filter((e) => e.queue === queue);
  const wanted = namespaces === 'all' ? ['default'] : namespaces;
  const unnamed = wanted
    .filter((namespace) => !named.some((e) => e.namespace === namespace))
    .map((namespace): PolicyEntry => ({
      namespace,
      queue,
      kind: null,
      resolved: resolvePolicy(file, { namespace, queue }),
    }));
  return [...named, ...unnamed].map((entry) => policyView(policies, entry));
}

function policyView(policies: Policies, { namespace, queue, kind, resolved }: PolicyEntry): PolicyView {
  const values: Values = {};
  for (const [setting, origin] of resolved.origins) {
    values[setting] = { value: valueOf(resolved.policy, setting), origin: { ...origin } };
  }
  if (namespace !== null && queue !== null) Object.assign(values, overridden(policies, { namespace, queue }));
  return { namespace, queue, kind, values };
}

function overridden(policies: Policies, ref: { readonly namespace: string; readonly queue: string }): Values {
  const { levels, policy } = policies.source.policyFor(ref, null);
  const changed = ACTIONS.filter((action) => levels[action] !== policy.levels[action]);
  return Object.fromEntries(
    changed.map((action) => [
      `actions.${action}`,
      { value: levels[action], origin: { layer: 'operator', at: 'PUT /v1/queues/{queue}/levels' } },
    ]),
  );
}

/** Settings that the policy keeps under another name, mostly because there they carry their unit. */
const RENAMED: Readonly<Record<string, (policy: QueuePolicy) => unknown>> = {
  ownerWait: (p) => p.ownerWaitMs,
  lease: (p) => p.leaseMs,
  heartbeatEvery: (p) => p.heartbeatEveryMs,
  grace: (p) => p.graceMs,
  stuckAfter: ({ stuckAfter }) => (stuckAfter.mode === 'fixed' ? stuckAfter.ms : stuckAfter.mode),
  hardTimeout: (p) => p.hardTimeoutMs,
  startBy: (p) => p.startByMs,
  retention: (p) => p.retentionMs,
  approvalFor: (p) => p.approvalForMs,
  'backoff.initial': (p) => p.backoff.initialMs,
  'backoff.max': (p) => p.backoff.maxMs,
  'blackout.holdMax': (p) => p.blackout.holdMaxMs,
  'probing.every': (p) => p.probing.everyMs,
  'saturation.for': (p) => p.saturation.forMs,
  'saturation.window': (p) => p.saturation.windowMs,
  'rollback.coolDown': (p) => p.rollback.coolDownMs,
  'readmit.hold': (p) => p.readmit.holdMs,
  'gate.window': (p) => p.gate.windowMs,
};

function valueOf(policy: QueuePolicy, setting: string): unknown {
  const renamed = RENAMED[setting];
  if (renamed !== undefined) return renamed(policy);
  const path = setting.startsWith('actions.') ? ['levels', setting.slice('actions.'.length)] : setting.split('.');
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], policy) ?? null;
}
