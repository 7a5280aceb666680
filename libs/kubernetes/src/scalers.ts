import type { Scaler } from '#libs/domain';
import { OrchestratorError } from '#libs/application';
import type { ClusterCalls } from './cluster-calls.js';
import type { Call } from './failures.js';
import type { HorizontalPodAutoscaler, ScaledObject } from './objects.js';
import type { WriteOptions } from './write-budget.js';

const PAUSED = 'autoscaling.keda.sh/paused';
const PAUSED_AT = 'autoscaling.keda.sh/paused-replicas';

export interface ScalerLook {
  readonly scaler: Scaler | null;
  readonly unseen: readonly string[];
}

/** What else sets the number of pods of a deployment: KEDA's scaled objects, and the cluster's own autoscalers. A cluster without KEDA has none of them. */
export class Scalers {
  constructor(private readonly calls: ClusterCalls) {}

  /** A right that is missing here is told and stops nothing: it is needed to count an autoscaler's changes as its own, not to roll back. */
  async look(namespace: string, deployment: string, signal: AbortSignal): Promise<ScalerLook> {
    const unseen: string[] = [];
    const allowed = async <Item>(list: Promise<readonly Item[]>): Promise<readonly Item[]> => {
      try {
        return await list;
      } catch (error) {
        if (!(error instanceof OrchestratorError) || error.code !== 'forbidden') throw error;
        unseen.push(error.message);
        return [];
      }
    };
    const [scaledObjects, autoscalers] = await Promise.all([
      allowed(this.scaledObjects(namespace, signal)),
      allowed(this.calls.list<HorizontalPodAutoscaler>(listing(namespace, 'autoscaling', 'horizontalpodautoscalers'), { signal })),
    ]);
    const keda = scaledObjects.find((one) => isTarget(one.spec.scaleTargetRef, deployment));
    if (keda !== undefined) return { scaler: kedaScaler(keda), unseen };
    const hpa = autoscalers.find((one) => isTarget(one.spec.scaleTargetRef, deployment) && one.spec.scaleTargetRef.kind === 'Deployment');
    return { scaler: hpa === undefined ? null : hpaScaler(hpa), unseen };
  }

  /** Keeps KEDA at a number of pods (`at`), or lets it go on (null). Repeatable. Answers how many calls wrote, or with `dryRun` would have: none where there is no KEDA. */
  async pause(namespace: string, deployment: string, at: number | null, options: WriteOptions): Promise<number> {
    const { signal, dryRun, budget } = options;
    const found = await this.scaledObjects(namespace, signal);
    const keda = found.find((one) => isTarget(one.spec.scaleTargetRef, deployment));
    if (keda === undefined) return 0;
    const wanted = at === null ? { [PAUSED]: null, [PAUSED_AT]: null } : { [PAUSED]: 'true', [PAUSED_AT]: String(at) };
    const stands = Object.entries(wanted).every(([key, value]) => (keda.metadata.annotations?.[key] ?? null) === value);
    if (stands) return 0;
    const body = { metadata: { resourceVersion: keda.metadata.resourceVersion, annotations: wanted } };
    await budget.spend();
    await this.calls.one(
      { verb: 'patch', group: 'keda.sh', resource: 'scaledobjects', namespace, name: keda.metadata.name },
      { signal, query: { fieldManager: 'jobwarden', ...(dryRun ? { dryRun: 'All' } : {}) }, patch: { type: 'merge-patch', body } },
    );
    return 1;
  }

  private async scaledObjects(namespace: string, signal: AbortSignal): Promise<readonly ScaledObject[]> {
    try {
      return await this.calls.list<ScaledObject>(listing(namespace, 'keda.sh', 'scaledobjects'), { signal });
    } catch (error) {
      // A cluster without KEDA does not know the kind.
      if (error instanceof OrchestratorError && error.code === 'not_found') return [];
      throw error;
    }
  }
}

function listing(namespace: string, group: Call['group'], resource: string): Call {
  return { verb: 'list', group, resource, namespace };
}

/** KEDA's default kind is Deployment. */
function isTarget(ref: { readonly kind?: string; readonly name?: string } | undefined, deployment: string): boolean {
  return ref?.name === deployment && (ref.kind ?? 'Deployment') === 'Deployment';
}

function kedaScaler({ metadata, spec }: ScaledObject): Scaler {
  const paused = metadata.annotations?.[PAUSED] === 'true' || metadata.annotations?.[PAUSED_AT] !== undefined;
  return { kind: 'keda', name: metadata.name, min: spec.minReplicaCount ?? 0, max: spec.maxReplicaCount ?? 100, paused };
}

function hpaScaler({ metadata, spec }: HorizontalPodAutoscaler): Scaler {
  return { kind: 'hpa', name: metadata.name, min: spec.minReplicas ?? 1, max: spec.maxReplicas, paused: false };
}
