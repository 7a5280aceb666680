import { iso, queueView, type QueueRow } from '#libs/application';
import type { QueueView } from '#libs/contracts';
import type { QueueRef } from '../http/inputs.js';
import type { Policies, Revisions } from '../services.js';

/** A queue with what is in force for it, from memory. */
export function queueViewOf(row: QueueRow, { source, gate, overrides }: Policies, { quarantine }: Revisions): QueueView {
  const view = queueView(row, source.policyFor(row, null), gate(row), overrides(row));
  const refusedRevisions = [...quarantine.refusedOf(row)];
  return refusedRevisions.length === 0 ? view : { ...view, refusedRevisions };
}

export function levelsView({ namespace, queue }: QueueRef, policies: Policies): Record<string, unknown> {
  const ref = { namespace, queue };
  const { levels, policy } = policies.source.policyFor(ref, null);
  const overrides = policies.overrides(ref).map(({ action, level, fileLevel, reason, by, setMs }) => ({
    action,
    level,
    fileLevel,
    inForce: fileLevel === policy.levels[action],
    reason,
    by,
    at: iso(setMs),
  }));
  return { ...ref, levels, overrides };
}
