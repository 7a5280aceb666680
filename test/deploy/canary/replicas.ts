// How many replicas of canary and stable run while a rollout goes on, by what each controller makes of what it is given.

export interface Replicas {
  readonly canary: number;
  readonly stable: number;
}

export function shareOf({ canary, stable }: Replicas): number {
  return canary / (canary + stable);
}

export interface Bounds {
  readonly minReplicas?: number;
  readonly maxReplicas: number;
}

export interface FlaggerSpec {
  readonly autoscalerRef?: { readonly kind: string; readonly name: string; readonly primaryScalerReplicas?: Partial<Bounds> };
}

/**
 * Flagger's canary is the target, stable a Deployment of its own that it makes. Between rollouts the target stands at 0. Without an autoscaler
 * stable has as many as the target; with one, as its own copy of it allows, and the canary as the original does. Autoscalers keep their bounds whatever
 * they measure, and leave alone what stands at 0.
 */
export function flaggerReplicas(target: { readonly replicas?: number }, { autoscalerRef }: FlaggerSpec, autoscaler: Bounds | null): Replicas {
  const asked = target.replicas ?? 1;
  if (autoscalerRef === undefined || autoscaler === null) return { canary: asked, stable: asked };
  const own = { ...autoscaler, ...autoscalerRef.primaryScalerReplicas };
  const begun = target.replicas ?? Math.max(1, autoscaler.minReplicas ?? 1);
  return { canary: within(begun, autoscaler), stable: within(asked, own) };
}

function within(replicas: number, { minReplicas = 1, maxReplicas }: Bounds): number {
  return Math.min(maxReplicas, Math.max(minReplicas, replicas));
}

export interface RolloutSpec {
  readonly replicas: number;
  readonly strategy: { readonly canary: { readonly trafficRouting?: object; readonly steps: readonly { readonly setWeight?: number; readonly analysis?: object }[] } };
}

/** While the first analysis goes on; Argo Rollouts deals a weight out over replicas where no traffic is routed. */
export function argoReplicas({ replicas, strategy: { canary } }: RolloutSpec): Replicas {
  const at = canary.steps.findIndex((step) => step.analysis !== undefined);
  const weight = canary.steps.slice(0, Math.max(0, at)).findLast((step) => step.setWeight !== undefined)?.setWeight;
  if (weight === undefined || canary.trafficRouting !== undefined) throw new Error('nothing says how many replicas are the canary while it is looked at');
  const own = Math.max(1, Math.round((replicas * weight) / 100));
  return { canary: own, stable: replicas - own };
}
