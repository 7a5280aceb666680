// A pool of workers in a namespace of its own, with what a test does to it.
import { chooseRelease, rolledOut, type Rollout, type WorkloadSeen, type WorkloadWritten } from '#libs/domain';
import type { KubernetesOrchestrator } from '#libs/kubernetes';
import type { Api } from './api.js';
import { deployWorkers, newNamespace, untilSeen, type WorkersOptions } from './workers.js';

export interface Pool {
  readonly namespace: string;
  readonly target: string;
  look(): Promise<WorkloadSeen>;
  until(what: string, holds: (seen: WorkloadSeen) => boolean): Promise<WorkloadSeen>;
  /** To `v1`, away from whatever else runs, in one write. */
  rollBack(seen: WorkloadSeen, replicas?: number): Promise<WorkloadWritten>;
  /** Of a rollback to `v1`, long before its deadline. */
  state(seen: WorkloadSeen, written: WorkloadWritten): Rollout;
}

/** Revisions that are never to run, in these tests. */
export const BAD = ['v2', 'v2-broken', 'v3-broken'];

export async function newPool(api: Api, orchestrator: KubernetesOrchestrator, options: WorkersOptions = {}): Promise<Pool> {
  const namespace = await newNamespace(api);
  await deployWorkers(api, namespace, options);
  const target = `${namespace}/workers`;
  return {
    namespace,
    target,
    look: () => orchestrator.observe(target, AbortSignal.timeout(10_000)),
    until: (what, holds) => untilSeen(orchestrator, target, what, holds),
    async rollBack(seen, replicas = seen.wanted) {
      const choice = chooseRelease(seen, { bad: BAD, healthy: ['v1'], schemaVersion: null });
      if ('refused' in choice) throw new Error(choice.why);
      const { id, revision } = choice.release;
      const { generation } = await orchestrator.apply(target, { releaseId: id, replicas }, seen, { signal: AbortSignal.timeout(10_000) });
      return { releaseId: id, revision, replicas, generation, atMs: 0 };
    },
    state: (seen, written) => rolledOut(seen, { written, bad: BAD, nowMs: 0, deadlineMs: 1 }),
  };
}
