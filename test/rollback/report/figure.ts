import type { Figure, Progress } from '../../figures/report.js';
import { Run } from '../stage/run.js';
import { TIMES } from './policy.js';
import type { Shipped } from '../../e2e/cases/shipped.js';
import type { ControlPlane } from '../../kubernetes/plane/control-plane.js';

/** What a figure of the rollback report gets. */
export interface Rollbacks extends Progress {
  readonly service: Shipped;
  readonly plane: ControlPlane;
  /** Of each figure. */
  readonly runs: number;
}

export type RollbackFigure = Figure<Rollbacks>;

export const REPLICAS = 4;
/** Runs that go on at once: they mostly wait. */
const AT_ONCE = 5;

/** Pools that have jobs to do: the next ones get their history while others are at it, and the last ones keep no machine busy before. */
const ALIVE = 2 * AT_ONCE;

/** `one` ends with its pool, whatever comes of it. */
export async function inTurns<T>({ service, plane, runs, progress }: Rollbacks, figure: string, one: (run: Run) => Promise<T>): Promise<readonly T[]> {
  progress(`a history is made for ${String(Math.min(ALIVE, runs))} pools of ${String(runs)}`);
  const names = Array.from({ length: runs }, (_, n) => `${figure}-${String(n + 1)}`);
  const alive: Promise<Run>[] = [];
  const startNext = (): void => {
    const name = names.shift();
    if (name === undefined) return;
    const run = Run.start({ service, api: plane.api, name, replicas: REPLICAS, leaseMs: TIMES.leaseMs });
    // Told to whoever takes it; nobody does once another run has broken off.
    run.catch(() => undefined);
    alive.push(run);
  };
  for (let n = 0; n < ALIVE; n += 1) startNext();
  const found: T[] = [];
  const lane = async (): Promise<void> => {
    for (let next = alive.shift(); next !== undefined; next = alive.shift()) {
      const run = await next;
      found.push(await one(run).finally(() => run.end()));
      progress(`${String(found.length)} of ${String(runs)} runs`);
      startNext();
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, runs) }, lane));
  return found;
}

/** `min, median, max` of what was measured, in seconds. */
export function spread(what: string, values: readonly number[]): string {
  if (values.length === 0) return `${what}: never`;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => ((sorted[Math.round(share * (sorted.length - 1))] ?? 0) / 1_000).toFixed(1);
  return `${what}: min ${at(0)} s, median ${at(0.5)} s, max ${at(1)} s (${String(values.length)} runs)`;
}
