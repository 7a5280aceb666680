import type { Level, Plan } from '#libs/domain';
import type { JobChange } from '../log/job-change.js';
import type { Approval } from '../log/verdict-marks.js';
import type { Settlement } from '../ports/log-store.port.js';

/**
 * Approvals at a look. A person has seen a would-have and said yes; whether it is still true is asked here, of the plan
 * that was made anew under the lock:
 *
 *   approved ──still true──► decided, and what follows within the attempt goes ahead (the requeue after the grace)
 *      ├── not due, another attempt, or something else is due now ──► refused, and says so
 *      ├── the level fell back to observe ──► refused
 *      └── older than it may be ──► expired: it can be approved again
 *
 * Clock: lane time. What holds an approved decision (a lane, quarantine, the stop switch) does not stop its time.
 */
export interface Weighed {
  /** What lets the plan go ahead below act. */
  readonly approval: Approval | null;
  readonly settled: readonly Settlement[];
  /** Why the last one of them was not enough; null: none was refused. */
  readonly refusal: string | null;
}

const NOTHING: Weighed = { approval: null, settled: [], refusal: null };

/** `plan`: null also when it is not due yet. */
export function weigh(change: JobChange, plan: Plan | null, level: Level, laneMs: number): Weighed {
  const { approvals } = change.job;
  if (approvals === undefined) return NOTHING;
  let approval: Approval | null = null;
  let refusal: string | null = null;
  const settled: Settlement[] = [];
  for (const one of approvals) {
    const against = refusalOf(one, change, plan, level, laneMs);
    if (against === null) approval = one;
    else if (one.state === 'approved') {
      refusal = against;
      settled.push({ verdictId: one.verdictId, state: against === 'expired' ? 'expired' : 'refused', refusal: against });
    }
  }
  return { approval, settled, refusal };
}

function refusalOf(one: Approval, change: JobChange, plan: Plan | null, level: Level, laneMs: number): string | null {
  if (one.attempt !== change.view.attempt) return 'moved_on';
  if (plan === null || plan.planned.kind === 'report') return 'not_due';
  const { action, reason, drafts } = plan.planned;
  if (action !== one.action) return 'changed';
  if (level === 'observe') return 'level_observe';
  if (one.state === 'decided') return null;
  if (reason !== one.reason || drafts[0]?.kind !== one.decision) return 'changed';
  return one.untilMs <= laneMs ? 'expired' : null;
}
