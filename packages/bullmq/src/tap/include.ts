import { failedFact, queuedFact, startedFact, succeededFact, workerOf, type FactContext, type TapFact } from './facts.js';
import type { NativeJob } from './native-job.js';
import { newRun, type Run } from './run.js';
import type { StreamId } from './stream-id.js';
import type { Lock } from './translate.js';

/** Where a job lies. */
export type Place = 'waiting' | 'delayed' | 'active' | 'completed' | 'failed';

/** A job as it was found, and not seen coming. */
export interface Found {
  readonly nativeId: string;
  readonly place: Place;
  readonly job: NativeJob;
  readonly lock: Lock | null;
  /** The stream's last entry when the hash was read. */
  readonly asOf: StreamId;
}

/** Facts of what a job's hash and place tell; `run` is null for one that has ended. */
export function include(context: FactContext, { nativeId, place, job, lock, asOf }: Found): { readonly run: Run | null; readonly facts: TapFact[] } {
  const run = newRun(nativeId, job.createdMs, job);
  run.asOf = asOf;
  run.startedMs = job.processedMs ?? 0;
  const facts = run.firstAttempt === 1 ? [queuedFact(context, run, job.name, job)] : [];
  const endedMs = job.finishedMs ?? job.processedMs ?? job.createdMs;
  switch (place) {
    case 'completed': {
      const durationMs = job.processedMs === null || job.finishedMs === null ? null : job.finishedMs - job.processedMs;
      return { run: null, facts: [...facts, succeededFact(context, run, { atMs: endedMs, durationMs })] };
    }
    case 'failed':
      return { run: null, facts: [...facts, failure(context, run, job, endedMs, true)] };
    case 'active':
      run.state = 'active';
      run.token = lock?.token ?? null;
      run.worker = workerOf(context.queue, run, job);
      return { run, facts: [...facts, startedFact(context, run, job.processedMs ?? job.createdMs)] };
    default:
      run.state = place;
      // A job that waits after a start: it failed, unless it was put back for want of a lock, which tells nothing.
      if (job.ends > 0 && (place === 'delayed' || job.stalls === 0)) facts.push(failure(context, run, job, endedMs, false));
      return { run, facts };
  }
}

function failure(context: FactContext, run: Run, job: NativeJob, atMs: number, final: boolean): TapFact {
  return failedFact(context, run, { atMs, reason: job.failedReason, stack: job.stacks.at(-1) ?? null, final, retryAfterMs: final ? 0 : job.waitMs });
}
