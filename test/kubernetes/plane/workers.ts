// Deployments of workers in namespaces of the tests, as people, pipelines and other controllers write them.
import { inject } from 'vitest';
import type { WorkloadSeen } from '#libs/domain';
import { ClusterCalls, KubernetesOrchestrator, openCluster } from '#libs/kubernetes';
import { waitUntil } from '#libs/testing';
import { openApi, type Api } from './api.js';
import { kubeconfigText } from './control-plane.js';
import { SLOW_STOP, STOP_FINALIZER } from './kubelet.js';

export interface WorkersOptions {
  readonly replicas?: number;
  /** Images, the oldest first; each is rolled out before the next. `v2-broken` never gets ready. Default `v1`, `v2`. */
  readonly images?: readonly string[];
  /** How long pods stay Terminating. */
  readonly stopMs?: number;
  /** Added to the deployment's spec. */
  readonly spec?: object;
  /** Of the pod template, by image. */
  readonly annotations?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export function adminApi(): Api {
  const { server, ca, adminToken } = inject('kubernetes');
  return openApi({ server, ca, token: adminToken });
}

export async function orchestratorWith(token: string, server?: string, timeoutMs?: number): Promise<KubernetesOrchestrator> {
  const plane = inject('kubernetes');
  const kubeconfig = kubeconfigText({ server: server ?? plane.server, ca: plane.ca, token });
  return new KubernetesOrchestrator(new ClusterCalls(await openCluster({ kubeconfig }), timeoutMs));
}

export const deploymentPath = (namespace: string, name = 'workers') => `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;

let made = 0;

/** A new namespace; the control plane is thrown away with everything in it. */
export async function newNamespace(api: Api): Promise<string> {
  const name = `test-${String(process.pid)}-${String(made++)}`;
  await api.create('/api/v1/namespaces', { metadata: { name } });
  // Without it no pod is made, and the next try comes late.
  await waitUntil('the default account', async () => (await api.call('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)).status === 200, { everyMs: 10 });
  return name;
}

export function template(image: string, { stopMs = 0, annotations = {} }: WorkersOptions = {}): object {
  const slow = stopMs === 0 ? {} : { finalizers: [STOP_FINALIZER] };
  return {
    metadata: { labels: { app: 'workers' }, annotations: { ...(stopMs === 0 ? {} : { [SLOW_STOP]: String(stopMs) }), ...annotations[image] }, ...slow },
    spec: { containers: [{ name: 'worker', image: `registry.example:5000/shop/workers:${image}` }], terminationGracePeriodSeconds: 1 },
  };
}

/** Rolls the images out one after the other; a broken one is only begun. */
export async function deployWorkers(api: Api, namespace: string, options: WorkersOptions = {}): Promise<void> {
  const { replicas = 3, images = ['v1', 'v2'], spec = {} } = options;
  const [first = 'v1', ...others] = images;
  await api.create(`/apis/apps/v1/namespaces/${namespace}/deployments?fieldManager=kubectl-create`, {
    metadata: { name: 'workers' },
    spec: { replicas, selector: { matchLabels: { app: 'workers' } }, template: template(first, options), ...spec },
  });
  await begun(api, namespace, first, replicas);
  for (const image of others) {
    await setImage(api, namespace, image, options);
    await begun(api, namespace, image, replicas);
  }
}

export async function setImage(api: Api, namespace: string, image: string, options: WorkersOptions = {}): Promise<void> {
  const body = [{ op: 'replace', path: '/spec/template', value: template(image, options) }];
  await api.patch(`${deploymentPath(namespace)}?fieldManager=kubectl-set`, body, 'json-patch');
}

/** As a GitOps controller writes: it owns what it applies, and takes it from others. */
export async function applyAs(api: Api, namespace: string, manager: string, image: string): Promise<void> {
  const body = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'workers' },
    spec: { selector: { matchLabels: { app: 'workers' } }, template: template(image) },
  };
  await api.patch(`${deploymentPath(namespace)}?fieldManager=${manager}&force=true`, body, 'apply-patch');
}

async function begun(api: Api, namespace: string, image: string, replicas: number): Promise<void> {
  await waitUntil(
    `${image} in ${namespace}`,
    async () => {
      const { metadata, status } = await api.get(deploymentPath(namespace));
      if ((status.observedGeneration ?? 0) < metadata.generation) return false;
      if (image.includes('broken')) return (status.updatedReplicas ?? 0) > 0;
      return (['replicas', 'updatedReplicas', 'availableReplicas'] as const).every((field) => (status[field] ?? 0) === replicas) && !(await stopping(api, namespace));
    },
    { everyMs: 30 },
  );
}

async function stopping(api: Api, namespace: string): Promise<boolean> {
  const { items } = await api.get(`/api/v1/namespaces/${namespace}/pods`);
  return items.some((pod) => pod.metadata.deletionTimestamp !== undefined);
}

export async function untilSeen(
  orchestrator: KubernetesOrchestrator,
  target: string,
  what: string,
  holds: (seen: WorkloadSeen) => boolean,
): Promise<WorkloadSeen> {
  let seen: WorkloadSeen | undefined;
  const look = async () => holds((seen = await orchestrator.observe(target, AbortSignal.timeout(10_000))));
  await waitUntil(`${what}; seen was ${target}`, look, { everyMs: 30 });
  return seen!;
}
