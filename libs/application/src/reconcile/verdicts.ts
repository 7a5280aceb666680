import type { Verdict } from '#libs/domain';
import type { JobChange } from '../log/job-change.js';
import type { VerdictWrite } from '../ports/log-store.port.js';
import type { ReconciliationRow } from '../ports/reconciliation-store.port.js';

/** What a look leaves behind of what it has said or done, to be graded by what comes. */

/** An attempt was given up because nothing was heard of it, or because it took too long: it may yet show that it lives. */
export function mayProveWrong({ action, decisions, reason }: ReconciliationRow): boolean {
  const final = decisions[0] === 'requeued' || decisions[0] === 'dead-lettered';
  return action !== null && final && GIVEN_UP.has(reason);
}

const GIVEN_UP: ReadonlySet<string> = new Set(['lost', 'hung', 'released']);

/** Silence for ten more thresholds confirms; of what has none of its own, the queue's lease is the measure. */
export function silenceOf(change: JobChange, { threshold }: ReconciliationRow): number {
  return CONFIRMED_AFTER * (threshold?.ms ?? change.policy.policy.leaseMs);
}

const CONFIRMED_AFTER = 10;

export function refusedRow(change: JobChange, refusal: string): ReconciliationRow {
  const { ref, approvals = [], state } = change.job;
  const approval = approvals.at(-1);
  const attempt = approval?.attempt ?? change.view.attempt;
  return {
    ref,
    attempt,
    outcome: 'refused',
    verdict: null,
    reason: approval?.reason ?? 'approved',
    decisions: approval === undefined ? [] : [approval.decision],
    threshold: null,
    action: approval?.action ?? null,
    level: 'approve',
    worker: state.attempts.get(attempt)?.starts[0]?.worker.id ?? null,
    heldBy: null,
    heldMs: null,
    unresolved: false,
    refusal,
  };
}

type Said = Pick<VerdictWrite, 'kind' | 'state' | 'confirmAfterMs'>;

export function verdictOf(row: ReconciliationRow, said: Said): VerdictWrite {
  return {
    ...said,
    attempt: row.attempt,
    verdict: row.verdict ?? verdictBehind(row.reason),
    reason: row.reason,
    action: row.action,
    level: row.level,
    decision: row.decisions[0] ?? null,
    thresholdSource: row.threshold?.source ?? null,
    thresholdMs: row.threshold?.ms ?? null,
    worker: row.worker,
  };
}

/** A requeue after the grace is due for the verdict that asked for the restart. */
function verdictBehind(reason: string): Verdict | null {
  return reason === 'lost' || reason === 'hung' ? reason : null;
}
