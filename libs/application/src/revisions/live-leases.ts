import { stateFromJson } from '#libs/domain';
import type { LaneReading } from '../ports/lane-clock.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { HeldByRevision } from '../ports/refused-revision-store.port.js';
import { leaseEndMs } from '../views/worker-view.js';

/** Attempts that workers of the revision hold under a lease which has not ended, by the lane's clock. */
export function liveOf(held: readonly HeldByRevision[], revision: string, policies: Pick<PolicySource, 'policyFor'>, reading: LaneReading): number {
  return held.filter((row) => isOf(row, revision) && (leaseEndMs(row, policies, reading) ?? 0) > reading.nowMs).length;
}

/** The state names every attempt: only those who began this one count. */
function isOf({ state, attempt }: HeldByRevision, revision: string): boolean {
  return stateFromJson(state).attempts.get(attempt)?.starts.some(({ worker }) => worker.revision === revision) ?? false;
}
