import type { Api, ClusterObject } from '../../kubernetes/plane/api.js';
import type { Pod } from './pod-workers.js';

export const GOOD = '1.4.0';
/** One for each pool: where no target is named, an incident is of the revision that is to blame. */
export const badOf = (pool: string): string => `1.5.0-${pool}`;
export const WORKERS = 'workers';
export const MIN_READY_S = 25;

export interface Wish {
  readonly replicas: number;
  readonly image: string;
  /** One more with each change of the wish, whoever makes it: 1 as it was created. */
  readonly generation: number;
}

/** A Deployment of workers in a namespace of its own, on a real control plane. Its image's tag is the revision. */
export class Pool {
  private constructor(
    private readonly api: Api,
    readonly namespace: string,
    readonly replicas: number,
  ) {}

  /** Resolves when its pods are wished for; they are ready a moment later. */
  static async create(api: Api, namespace: string, replicas: number): Promise<Pool> {
    await api.create('/api/v1/namespaces', { metadata: { name: namespace } });
    const pool = new Pool(api, namespace, replicas);
    await api.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
      metadata: { name: WORKERS },
      spec: {
        replicas,
        // Both releases are at work for a while, as with images to pull and probes to pass: only side by side it is sure which of them fails,
        // and not by one half minute alone. Two steps of a rollout, so that much of it lies outside of any half minute.
        minReadySeconds: MIN_READY_S,
        selector: { matchLabels: { app: WORKERS } },
        template: { metadata: { labels: { app: WORKERS } }, spec: { containers: [{ name: 'worker', image: imageOf(GOOD) }] } },
      },
    });
    return pool;
  }

  get target(): string {
    return `${this.namespace}/${WORKERS}`;
  }

  /** As a deployment pipeline does it. */
  async release(revision: string): Promise<void> {
    await this.api.patch(this.path, { spec: { template: { spec: { containers: [{ name: 'worker', image: imageOf(revision) }] } } } }, 'strategic-merge-patch');
  }

  /**
   * The same, and the rollout stands still with all pods but one of this release: none of the new ones counts as available before the
   * progress deadline, so the last old one stays. A pause is no way to that: a paused rollout whose new pods are all there still
   * takes the old ones away.
   */
  async releaseButOne(revision: string): Promise<void> {
    const strategy = { rollingUpdate: { maxSurge: 0, maxUnavailable: this.replicas - 1 } };
    const template = { spec: { containers: [{ name: 'worker', image: imageOf(revision) }] } };
    await this.api.patch(this.path, { spec: { minReadySeconds: 590, strategy, template } }, 'strategic-merge-patch');
  }

  /** As a controller of GitOps does it, over and over: server-side apply, by force. */
  async apply(revision: string, manager: string): Promise<void> {
    const template = { metadata: { labels: { app: WORKERS } }, spec: { containers: [{ name: 'worker', image: imageOf(revision) }] } };
    const wish = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: WORKERS }, spec: { selector: { matchLabels: { app: WORKERS } }, template } };
    await this.api.patch(`${this.path}?fieldManager=${manager}&force=true`, wish, 'apply-patch');
  }

  async pods(): Promise<readonly Pod[]> {
    const list = await this.api.get(`/api/v1/namespaces/${this.namespace}/pods`);
    return list.items.map(podOf);
  }

  /** Pods that are ready and not about to go, by revision. */
  async ready(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const { revision, works } of await this.pods()) if (works) counts.set(revision, (counts.get(revision) ?? 0) + 1);
    return counts;
  }

  async wished(): Promise<Wish> {
    const { metadata, spec } = await this.api.get(this.path);
    return { replicas: spec.replicas, image: spec.template.spec.containers[0].image, generation: metadata.generation };
  }

  private get path(): string {
    return `/apis/apps/v1/namespaces/${this.namespace}/deployments/${WORKERS}`;
  }
}

export const imageOf = (revision: string): string => `registry.example/workers:${revision}`;

function podOf({ metadata, spec, status }: ClusterObject): Pod {
  const ready = status.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;
  return {
    name: metadata.name,
    revision: spec.containers[0].image.split(':').at(-1) ?? '',
    works: ready && metadata.deletionTimestamp === undefined,
  };
}
