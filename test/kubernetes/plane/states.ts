import { waitUntil } from '#libs/testing';
import type { Api, ClusterObject } from './api.js';
import { deploymentPath } from './workers.js';

export interface Recorded {
  /** Waits for a state that is so, and ends the watch. Answers every one up to it, in order: a watch leaves none out, as two looks do. */
  until(what: string, holds: (state: ClusterObject) => boolean): Promise<readonly ClusterObject[]>;
}

/** From this moment on. */
export async function recordStates(api: Api, namespace: string): Promise<Recorded> {
  const { metadata } = await api.get(deploymentPath(namespace));
  const states: ClusterObject[] = [];
  const ending = new AbortController();
  const path = `${deploymentPath(namespace).replace('/workers', '')}?watch=1&fieldSelector=metadata.name%3Dworkers&resourceVersion=${metadata.resourceVersion}`;
  const watching = api.watch(path, (state) => void states.push(state), ending.signal);
  return {
    async until(what, holds) {
      try {
        await waitUntil(what, () => states.some(holds), { everyMs: 20 });
        return states.slice(0, states.findIndex(holds) + 1);
      } finally {
        ending.abort();
        await watching;
      }
    },
  };
}

/** The counters of a state, 0 where the cluster leaves them out. */
export function countersOf({ status }: ClusterObject): { readonly replicas: number; readonly updated: number; readonly available: number } {
  return { replicas: status.replicas ?? 0, updated: status.updatedReplicas ?? 0, available: status.availableReplicas ?? 0 };
}

export const isRead = ({ metadata, status }: ClusterObject, generation: number): boolean => metadata.generation === generation && status.observedGeneration === generation;
