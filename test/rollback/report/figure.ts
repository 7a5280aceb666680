import type { Figure, Progress } from '../../figures/report.js';
import { Run } from '../stage/run.js';
import { TIMES } from './policy.js';
import type { Shipped } from '../../e2e/cases/shipped.js';
import type { ControlPlane } from '../../kubernetes/plane/control-plane.js';
import type { ClusterRights } from '../stage/cluster-rights.js';

/** What a figure of the rollback report gets. */
export interface Rollbacks extends Progress {
  /** For runs of this figure. */
  readonly service: Shipped;
  readonly plane: ControlPlane;
  /** Those of the service, in the namespace of each run; null: it does not even know where a cluster is. */
  readonly rights: ClusterRights | null;
  /** Of each figure. */
  readonly runs: number;
  /** Runs of a figure that go on at once: they mostly wait. */
  readonly lanes: number;
}

export interface RollbackFigure extends Figure<Rollbacks> {
  /** `shipped`: the service has a kubeconfig, of an account with the rights of deploy/kubernetes/rbac.yaml. `none`: it has none. */
  readonly rights: 'shipped' | 'none';
}

export const REPLICAS = 4;

/**
 * Each run begins when its pool has a history, all of the same length: what is usual is told by it. `one` ends with its pool, whatever
 * comes of it.
 */
export async function inTurns<T>({ service, plane, rights, runs, lanes, progress }: Rollbacks, figure: string, one: (run: Run) => Promise<T>): Promise<readonly T[]> {
  const names = Array.from({ length: runs }, (_, n) => `${figure}-${String(n + 1)}`);
  const found: T[] = [];
  const lane = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      progress(`${name}: a history is made`);
      const run = await Run.start({ service, api: plane.api, rights, name, replicas: REPLICAS, leaseMs: TIMES.leaseMs });
      found.push(await one(run).finally(() => run.end()));
      progress(`${String(found.length)} of ${String(runs)} runs`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, runs) }, lane));
  return found;
}

/** `min, median, max` of what was measured, in seconds. */
export function spread(what: string, values: readonly number[]): string {
  if (values.length === 0) return `${what}: never`;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => ((sorted[Math.round(share * (sorted.length - 1))] ?? 0) / 1_000).toFixed(1);
  return `${what}: min ${at(0)} s, median ${at(0.5)} s, max ${at(1)} s (${String(values.length)} runs)`;
}
