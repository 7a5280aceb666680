import type { StartedFact, Worker } from '../events/facts.js';
import { MAX_STARTS, type AttemptState, type StartRecord } from './state.js';

/** Merges a start: one record per (worker, incarnation), the {@link MAX_STARTS} smallest kept, the rest only flagged. */
export function addStart(attempt: AttemptState, fact: StartedFact): void {
  attempt.firstStartMs = Math.min(attempt.firstStartMs ?? fact.laneMs, fact.laneMs);
  attempt.lastStartMs = Math.max(attempt.lastStartMs ?? fact.laneMs, fact.laneMs);
  if (fact.timeMs !== undefined) attempt.startTimeMs = Math.min(attempt.startTimeMs ?? fact.timeMs, fact.timeMs);
  if (fact.leaseMs !== undefined) attempt.leaseMs = Math.max(attempt.leaseMs ?? 0, fact.leaseMs);
  if (fact.claimId !== undefined) {
    attempt.claimId = smaller(attempt.claimId ?? undefined, fact.claimId);
    attempt.claimEpoch = Math.max(attempt.claimEpoch ?? 0, fact.epoch ?? 0);
  }
  const { starts } = attempt;
  const at = starts.findIndex((s) => compareWorkers(s.worker, fact.worker) >= 0);
  const found = at < 0 ? undefined : starts[at];
  if (found !== undefined && compareWorkers(found.worker, fact.worker) === 0) {
    mergeStart(found, fact);
    return;
  }
  const { laneMs, traceparent } = fact;
  starts.splice(at < 0 ? starts.length : at, 0, { laneMs, ...(traceparent !== undefined && { traceparent }), worker: workerOf(fact.worker) });
  if (starts.length > MAX_STARTS) {
    starts.pop();
    attempt.startsOverflow = true;
  }
}

function mergeStart(record: StartRecord, fact: StartedFact): void {
  record.laneMs = Math.min(record.laneMs, fact.laneMs);
  const traceparent = pick(record.traceparent, fact.traceparent);
  if (traceparent !== undefined) record.traceparent = traceparent;
  const revision = pick(record.worker.revision, fact.worker.revision);
  const track = pick(record.worker.track, fact.worker.track);
  record.worker = workerOf({
    ...record.worker,
    ...(revision !== undefined && { revision }),
    ...(track !== undefined && { track }),
  });
}

/** What the fold knows of a worker and no more, or a repeat, which merges, would change the record. */
function workerOf({ id, incarnation, revision, track }: Worker): Worker {
  return {
    id,
    ...(incarnation !== undefined && { incarnation }),
    ...(revision !== undefined && { revision }),
    ...(track !== undefined && { track }),
  };
}

function pick(a: string | undefined, b: string | undefined): string | undefined {
  return b === undefined ? a : smaller(a, b);
}

function smaller(a: string | undefined, b: string): string {
  return a === undefined || b < a ? b : a;
}

/** Same process? A worker that restarts under its old name has another incarnation. */
export function sameWorker(a: Worker, b: Worker): boolean {
  return compareWorkers(a, b) === 0;
}

function compareWorkers(a: Worker, b: Worker): number {
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  const x = a.incarnation ?? '';
  const y = b.incarnation ?? '';
  return x === y ? 0 : x < y ? -1 : 1;
}
