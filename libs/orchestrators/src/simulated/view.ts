import type { PodSeen, WorkloadSeen } from '#libs/domain';
import type { SimulatedPod, SimulatedPool } from './pool.js';
import { isReady } from './step.js';

/** As a cluster would show it: counters of the wish that was read, without the pods that are stopping. */
export function viewOf(target: string, pool: SimulatedPool, ms: number): WorkloadSeen {
  const { generation, observed, replicas, releases, release, paused, scaler, schemaVersion, writers } = pool;
  const running = pool.pods.filter((pod) => pod.stoppingMs === null);
  const revisionOf = (id: string) => releases.find((one) => one.id === id)?.revision ?? null;
  const updated = running.filter((pod) => pod.release === observed.release).length;
  const available = running.filter((pod) => isReady(pool, pod, ms)).length;
  const done = updated === replicas && available === replicas && running.length === replicas;
  const late = observed.generation === generation && !done && !paused && ms >= pool.wishedMs + pool.timing.deadlineMs;
  return {
    ...{ target, version: versionOf(pool), generation, observedGeneration: observed.generation, wanted: replicas },
    ...{ replicas: running.length, updated, available, revision: revisionOf(release), releaseId: release, releases, paused },
    pods: pool.pods.map((pod) => podSeen(pool, pod, revisionOf(pod.release), ms)),
    failure: late ? 'ProgressDeadlineExceeded' : null,
    hindrance: null,
    ...{ schemaVersion, scaler, writers, unseen: [] },
  };
}

export function versionOf(pool: SimulatedPool): string {
  return `${String(pool.generation)}/${String(pool.observed.generation)}/${String(pool.podsMade)}/${String(pool.pods.length)}`;
}

function podSeen(pool: SimulatedPool, pod: SimulatedPod, revision: string | null, ms: number): PodSeen {
  const ready = isReady(pool, pod, ms);
  const reason = pool.broken.includes(revision ?? '') ? 'CrashLoopBackOff' : 'ContainerCreating';
  return { name: pod.name, revision, ready, terminating: pod.stoppingMs !== null, ...(ready ? {} : { reason }) };
}
