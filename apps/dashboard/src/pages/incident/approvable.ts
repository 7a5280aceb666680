import { incident as words } from '../../text/incident';
import { assessedIn } from './assessed';
import type { Incident, Step } from './incident-queries';

const { actions: text } = words;

/** Why an approval would be refused; null: something waits for one. */
export function notApprovable({ run, status, steps }: Incident): string | null {
  if (status === 'resolved') return text.over;
  if (run === undefined) return text.noRun;
  if (run.phase === 'waiting-for-approval') return null;
  if (run.phase !== 'escalated') return text.approveNothing;
  const assessed = steps.findLast(({ type }) => type === 'cause-assessed')?.evidence;
  const does: unknown = (assessed?.['plan'] as { readonly does?: unknown } | undefined)?.does;
  return does === 'nothing' && assessedIn(steps)?.cause !== 'unknown' ? text.approveNoPlan : null;
}

/** Number of the step that asks now: whoever approves says which one was read. null: none asks. */
export function askedIn({ run, steps }: Incident): number | null {
  const last = (type: Step['type']): number => steps.findLast((step) => step.type === type)?.n ?? 0;
  // What nobody has answered stays asked, though its time has run out.
  if (last('approval-requested') > last('approved')) return last('approval-requested');
  return run?.phase === 'escalated' ? last('escalated') : null;
}

export function notAbortable({ run, status, steps }: Incident): string | null {
  if (status === 'resolved') return text.over;
  if (run === undefined) return text.noRun;
  return steps.some(({ type }) => type === 'aborted') ? text.aborted : null;
}
