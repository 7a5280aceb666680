import { OrchestratorError, type Applied, type ApplyOptions, type Orchestrator } from '#libs/application';
import { JOBWARDEN_WRITER, type WorkloadSeen, type WorkloadWanted } from '#libs/domain';
import type { ClusterCalls } from './cluster-calls.js';
import type { Deployment, LabelSelector, Pod, PodTemplate, ReplicaSet } from './objects.js';
import { Scalers } from './scalers.js';
import { WriteBudget, type WriteOptions } from './write-budget.js';
import { ownReplicaSets, sameTemplate, templateOf, versionOf, workloadSeen } from './workload-view.js';
import { writerOf } from './writers.js';

/**
 * Deployments. One look is a GET of the deployment and then lists of its ReplicaSets and pods, in this order: counters may be older than the pods, never
 * newer. One write is a single PATCH of template and number of pods, so that there is no state between the two, on the very object that was read just before.
 *
 * What is written is compared with the wish (`generation`) of the look, not with its `resourceVersion` alone: that moves with every pod that starts or fails,
 * and in an outage no write would ever come through.
 */
export class KubernetesOrchestrator implements Orchestrator {
  readonly kind = 'kubernetes';
  private readonly scalers: Scalers;

  constructor(private readonly calls: ClusterCalls) {
    this.scalers = new Scalers(calls);
  }

  async observe(target: string, signal: AbortSignal): Promise<WorkloadSeen> {
    const { namespace, name } = parts(target);
    const deployment = await this.deployment(namespace, name, signal);
    const query = { labelSelector: selectorText(deployment.spec.selector) };
    const [replicaSets, { scaler, unseen }] = await Promise.all([this.replicaSets(namespace, query, signal), this.scalers.look(namespace, name, signal)]);
    // Last, so that a pod of a set that was made meanwhile is not taken for a stranger's.
    const pods = await this.calls.list<Pod>({ verb: 'list', group: '', resource: 'pods', namespace }, { signal, query });
    return workloadSeen({ target, deployment, replicaSets, pods, scaler, unseen });
  }

  async apply(target: string, wanted: WorkloadWanted, seen: WorkloadSeen, options: ApplyOptions): Promise<Applied> {
    const { signal, dryRun = false, mostWrites = MOST_TRIES * WRITES_OF_A_TRY, mayWrite } = options;
    const budget = new WriteBudget(target, mostWrites, mayWrite);
    for (let tries = 1; ; tries++) {
      try {
        return await this.applyOnce(target, wanted, seen, { signal, dryRun, budget });
      } catch (error) {
        // Between reading and writing a pod has started or failed. Whether anybody has changed the wish is seen by reading again.
        const mayPass = error instanceof OrchestratorError && error.code === 'conflict' && !(error instanceof WishChanged);
        if (!mayPass || tries >= MOST_TRIES || budget.left === 0) throw error;
      }
    }
  }

  private async applyOnce(target: string, wanted: WorkloadWanted, seen: WorkloadSeen, options: WriteOptions): Promise<Applied> {
    const { signal, dryRun } = options;
    const { namespace, name } = parts(target);
    const deployment = await this.deployment(namespace, name, signal);
    const template = wanted.releaseId === undefined ? null : await this.templateOf(namespace, deployment, wanted.releaseId, signal);
    const replicas = wanted.replicas ?? null;
    const stands = (template === null || template === 'stands') && (replicas === null || deployment.spec.replicas === replicas);
    if (!stands) refuseOthers(deployment, seen);
    let writes = 0;
    if (wanted.pauseScaler === true) writes += await this.scalers.pause(namespace, name, replicas ?? deployment.spec.replicas ?? 1, options);
    let written = deployment;
    if (!stands) {
      written = await this.patch({ namespace, name, deployment, template, replicas }, options);
      writes++;
    }
    if (wanted.pauseScaler === false) writes += await this.scalers.pause(namespace, name, null, options);
    const standing = dryRun ? deployment : written;
    const counted = dryRun ? 0 : writes;
    return { changed: writes > 0, generation: standing.metadata.generation ?? 0, version: versionOf(standing), writes: counted };
  }

  private deployment(namespace: string, name: string, signal: AbortSignal): Promise<Deployment> {
    return this.calls.one<Deployment>({ verb: 'get', group: 'apps', resource: 'deployments', namespace, name }, { signal });
  }

  private replicaSets(namespace: string, query: { labelSelector: string }, signal: AbortSignal): Promise<readonly ReplicaSet[]> {
    return this.calls.list<ReplicaSet>({ verb: 'list', group: 'apps', resource: 'replicasets', namespace }, { signal, query });
  }

  private async templateOf(namespace: string, deployment: Deployment, releaseId: string, signal: AbortSignal): Promise<PodTemplate | 'stands'> {
    const all = await this.replicaSets(namespace, { labelSelector: selectorText(deployment.spec.selector) }, signal);
    const set = ownReplicaSets(deployment, all).find((one) => one.metadata.name === releaseId);
    if (set === undefined) throw new OrchestratorError('not_found', `${namespace}/${deployment.metadata.name} keeps no release ${releaseId}`);
    return sameTemplate(set, deployment.spec.template) ? 'stands' : templateOf(set);
  }

  private async patch(
    write: {
      readonly namespace: string;
      readonly name: string;
      readonly deployment: Deployment;
      readonly template: PodTemplate | 'stands' | null;
      readonly replicas: number | null;
    },
    { signal, dryRun, budget }: WriteOptions,
  ): Promise<Deployment> {
    const { namespace, name, deployment, template, replicas } = write;
    const body = [
      { op: 'test', path: '/metadata/uid', value: deployment.metadata.uid },
      { op: 'test', path: '/metadata/resourceVersion', value: deployment.metadata.resourceVersion },
      ...(template === null || template === 'stands' ? [] : [{ op: 'replace', path: '/spec/template', value: template }]),
      ...(replicas === null ? [] : [{ op: 'replace', path: '/spec/replicas', value: replicas }]),
    ];
    await budget.spend();
    return await this.calls.one<Deployment>(
      { verb: 'patch', group: 'apps', resource: 'deployments', namespace, name },
      { signal, query: { fieldManager: JOBWARDEN_WRITER, ...(dryRun ? { dryRun: 'All' } : {}) }, patch: { type: 'json-patch', body } },
    );
  }
}

/** Of one write, before it is left to the caller. */
const MOST_TRIES = 4;
/** The scaler's and the deployment's. */
const WRITES_OF_A_TRY = 2;

class WishChanged extends OrchestratorError {}

function refuseOthers(deployment: Deployment, seen: WorkloadSeen): void {
  const { metadata } = deployment;
  const same = metadata.generation === seen.generation && versionOf(deployment).split('/')[0] === seen.version.split('/')[0];
  if (same) return;
  const writer = writerOf(metadata.managedFields ?? [], 'template')?.manager ?? 'somebody else';
  throw new WishChanged('conflict', `${seen.target} has been written since it was looked at; its release last by ${writer}`);
}

const NAME = '[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?';
const TARGET = new RegExp(`^(${NAME})/(${NAME})$`);

function parts(target: string): { namespace: string; name: string } {
  const [, namespace, name] = TARGET.exec(target) ?? [];
  if (namespace === undefined || name === undefined) throw new OrchestratorError('unsupported', `"${target}" is no NAMESPACE/NAME of a Deployment`);
  return { namespace, name };
}

/** As the query of a list wants it. */
function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    switch (operator) {
      case 'In':
        return `${key} in (${values.join(',')})`;
      case 'NotIn':
        return `${key} notin (${values.join(',')})`;
      case 'Exists':
        return key;
      default:
        return `!${key}`;
    }
  });
  return [...equal, ...others].join(',');
}
