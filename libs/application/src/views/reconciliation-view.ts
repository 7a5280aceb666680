import type { ReconciliationRow as RowView, ReconciliationRun, VerdictView } from '#libs/contracts';
import type { ReconciliationRow } from '../ports/reconciliation-store.port.js';
import type { RunFilter, RunRow, VerdictRow } from '../ports/read-models.port.js';
import { iso } from './time.js';

/** A run with the rows that fit the filter; its figures are always those of the whole run. */
export function runView(row: RunRow, filter: RunFilter): ReconciliationRun {
  const { rows } = row;
  return {
    id: row.id,
    startedAt: iso(row.laneMs),
    trigger: row.trigger as ReconciliationRun['trigger'],
    ...(row.trigger === 'dry-run' && { dryRun: true }),
    looked: row.looked,
    decided: row.decided,
    wouldHave: row.wouldHave,
    held: row.held,
    unresolved: rows.filter((r) => r.unresolved).length,
    rows: rows.filter((r) => fits(r, filter)).map(rowView),
  };
}

function rowView(row: ReconciliationRow): RowView {
  const { ref, attempt, outcome, verdict, reason, decisions, threshold, action, level, worker, heldBy, unresolved } =
    row;
  const { refusal, approvedBy, dueMs } = row;
  return {
    ...ref,
    attempt,
    outcome,
    verdict,
    reason,
    decisions: [...decisions],
    threshold,
    action,
    level,
    ...(worker !== null && { worker }),
    ...(dueMs !== undefined && { dueAt: iso(dueMs) }),
    ...(heldBy !== null && { heldBy }),
    ...(unresolved && { unresolved }),
    ...(refusal !== undefined && { refusal }),
    ...(approvedBy !== undefined && { approvedBy }),
  };
}

function fits(row: ReconciliationRow, { namespace, queue, verdict }: RunFilter): boolean {
  if (row.ref.namespace !== namespace) return false;
  if (queue !== undefined && row.ref.queue !== queue) return false;
  return verdict === undefined || row.verdict === verdict;
}

export function verdictView(row: VerdictRow): VerdictView {
  const threshold =
    row.thresholdMs === null
      ? null
      : {
          source: (row.thresholdSource ?? 'default') as NonNullable<VerdictView['threshold']>['source'],
          ms: row.thresholdMs,
        };
  return {
    verdictId: row.id,
    namespace: row.ref.namespace,
    queue: row.ref.queue,
    id: row.ref.id,
    attempt: row.attempt,
    verdict: row.verdict as VerdictView['verdict'],
    reason: row.reason,
    threshold,
    action: row.action as VerdictView['action'],
    level: (row.level ?? 'observe') as VerdictView['level'],
    at: iso(row.firstMs),
    grade: row.grade as VerdictView['grade'],
    ...(row.gradedMs !== null && { gradedAt: iso(row.gradedMs) }),
    state: row.state as VerdictView['state'],
    ...(row.refusal !== null && { refusal: row.refusal }),
    ...(row.approval !== null && { approval: approvalView(row.approval) }),
    evidence: {
      kind: row.kind as NonNullable<VerdictView['evidence']>['kind'],
      times: row.times,
      lastAt: iso(row.lastMs),
      ...(row.decision !== null && { decision: row.decision }),
      ...(row.worker !== null && { worker: row.worker }),
    },
  };
}

function approvalView({ by, reason, atMs, untilMs }: NonNullable<VerdictRow['approval']>): NonNullable<VerdictView['approval']> {
  return { by, reason, at: iso(atMs), until: iso(untilMs) };
}
