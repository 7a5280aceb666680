// What a kubelet tells the cluster of its pods, without running any: a pod gets ready at once, unless its image says that it is broken. Without a scheduler
// and a node the cluster has nothing to wait for when a pod ends; one that is to stop slowly carries a finalizer, which is taken off after its time.
import { setTimeout as delay } from 'node:timers/promises';
import type { Api, ClusterObject } from './api.js';

/** Of a pod template: how long its pods stay Terminating, ms. Needs the finalizer. */
export const SLOW_STOP = 'test.jobwarden.dev/stop-after-ms';
export const STOP_FINALIZER = 'test.jobwarden.dev/stopping';

export interface FakeKubelet {
  stop(): Promise<void>;
}

export function startKubelet(api: Api): FakeKubelet {
  const end = new AbortController();
  const stopping = new Map<string, Promise<void>>();
  const ignore = () => undefined;

  const stop = async (pod: ClusterObject): Promise<void> => {
    const { name, namespace, annotations = {} } = pod.metadata;
    await delay(Number(annotations[SLOW_STOP] ?? 0), undefined, { signal: end.signal });
    await api.patch(`/api/v1/namespaces/${namespace}/pods/${name}`, { metadata: { finalizers: null } });
  };
  const tell = async (pod: ClusterObject): Promise<void> => {
    const { name, namespace } = pod.metadata;
    const broken = pod.spec.containers[0].image.includes('broken');
    await api.patch(`/api/v1/namespaces/${namespace}/pods/${name}/status`, { status: statusOf(pod, broken) });
  };
  const look = (pod: ClusterObject): void => {
    const { uid, deletionTimestamp, finalizers = [] } = pod.metadata;
    if (deletionTimestamp !== undefined) {
      if (finalizers.includes(STOP_FINALIZER) && !stopping.has(uid)) stopping.set(uid, stop(pod).catch(ignore));
    } else if (pod.status.phase !== 'Running') void tell(pod).catch(ignore);
  };
  const run = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const list = await api.get('/api/v1/pods').catch(() => null);
      for (const pod of list?.items ?? []) look(pod);
      const from = list?.metadata.resourceVersion;
      if (from !== undefined) await api.watch(`/api/v1/pods?watch=1&resourceVersion=${from}`, look, end.signal);
      await delay(100);
    }
  };
  const running = run().catch(ignore);
  return {
    async stop() {
      end.abort();
      await Promise.all([running, ...stopping.values()]);
    },
  };
}

function statusOf(pod: ClusterObject, broken: boolean): object {
  const holds = broken ? 'False' : 'True';
  const state = broken ? { waiting: { reason: 'CrashLoopBackOff' } } : { running: { startedAt: new Date().toISOString() } };
  const container = pod.spec.containers[0];
  const now = new Date().toISOString();
  return {
    phase: 'Running',
    startTime: now,
    conditions: ['Ready', 'ContainersReady'].map((type) => ({ type, status: holds, lastTransitionTime: now })),
    containerStatuses: [{ name: container.name, image: container.image, imageID: '', ready: !broken, restartCount: broken ? 3 : 0, state }],
  };
}
