import { planFailed, planRetrying } from './plan-failed.js';
import { planFinished } from './plan-finished.js';
import { planProcessing } from './plan-processing.js';
import { planIncomplete, planRestartRequested } from './plan-restart.js';
import type { Plan, Subject } from './plan-types.js';
import { planWaiting } from './plan-waiting.js';

export * from './plan-types.js';

/**
 * The plan of a job: what it waits for, when that is over, and what is then decided. A pure function of the row, its
 * lease and its policy, so `look_at` is `plan.dueMs` and a reconciler that looks again sees the same plan.
 *
 *   queued ──start-by──► starved (a report)          failed ──at once──► retry-scheduled | dead-lettered
 *   processing ──lease, stuckAfter──► lost ──┐       retrying ──backoff──► requeued
 *   processing ──hard timeout──► hung ───────┤       incomplete ──what is missing──► requeued
 *   restart-requested ◄──────────────────────┘       finished ──at once──► stop-requested, for who is still out
 *   restart-requested ──grace──► requeued | dead-lettered;  a heartbeat withdraws a lost one
 *
 * Where the queue recovers by itself (`owner: queue`), failed, released and restart-requested first leave it its
 * `ownerWait`; an attempt of its own takes the status from them.
 *
 * Clocks: lane times only. `gapEndMs` moves leases on after a time in which nobody could have read a heartbeat.
 * Not guaranteed here: that nothing unread would change the plan; the caller compares `dueMs` with the watermark
 * where `gated` says so, and appends under the row's and the lease's lock.
 *
 * `reportedMs`: every report due at or before this instant has been made; the plan names the next one. Who has
 * written the row passes the present; who finds the row due passes the instant before its `look_at`, or a report that
 * has just fallen due would be skipped. null: the job rests until an event changes it.
 */
export function planOf(subject: Subject, reportedMs: number): Plan | null {
  switch (subject.view.status) {
    case 'queued':
    case 'requeued':
      return planWaiting(subject, reportedMs);
    case 'processing':
      return planProcessing(subject);
    case 'restart-requested':
      return planRestartRequested(subject);
    case 'failed':
      return planFailed(subject);
    case 'retrying':
      return planRetrying(subject);
    case 'incomplete':
      return planIncomplete(subject);
    case 'succeeded':
    case 'dead-lettered':
    case 'cancelled':
    case 'discarded':
      return planFinished(subject);
  }
}
