import { incident as words } from '../../text/incident';
import { assessedIn } from './assessed';
import type { Incident } from './incident-queries';

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

export function notAbortable({ run, status, steps }: Incident): string | null {
  if (status === 'resolved') return text.over;
  if (run === undefined) return text.noRun;
  return steps.some(({ type }) => type === 'aborted') ? text.aborted : null;
}
