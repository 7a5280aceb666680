// Simulated pools in tests: a clock that is moved by looking, and somebody else who writes.
import type { Orchestrator } from '#libs/application';
import type { WorkloadSeen } from '#libs/domain';
import { somebodyWishes, type SimulatedStore } from '#libs/orchestrators';

export interface ManualClock {
  now(): number;
  pass(ms: number): void;
}

export function manualClock(startMs = 1_000_000): ManualClock {
  let ms = startMs;
  return { now: () => ms, pass: (more) => void (ms += more) };
}

export function changePool(
  store: SimulatedStore,
  name: string,
  atMs: number,
  manager: string,
  { revision, replicas, paused }: { revision?: string; replicas?: number; paused?: boolean },
): void {
  const pool = store.load()[name];
  if (pool === undefined) throw new Error(`no pool ${name}`);
  const release = pool.releases.find((one) => one.revision === revision)?.id;
  const wanted = { ...(release === undefined ? {} : { release }), ...(replicas === undefined ? {} : { replicas }), ...(paused === undefined ? {} : { paused }) };
  store.save({ ...store.load(), [name]: somebodyWishes(pool, wanted, { manager, atMs }) });
}

/** A tenth of a second passes between two looks. @throws after ten minutes of that clock. */
export async function untilSeen(
  what: string,
  { orchestrator, target, clock }: { orchestrator: Orchestrator; target: string; clock: ManualClock },
  holds: (seen: WorkloadSeen) => boolean,
): Promise<WorkloadSeen> {
  const signal = AbortSignal.timeout(20_000);
  for (let looks = 0; looks < 6_000; looks++) {
    const seen = await orchestrator.observe(target, signal);
    if (holds(seen)) return seen;
    clock.pass(100);
  }
  throw new Error(`not seen: ${what}`);
}
