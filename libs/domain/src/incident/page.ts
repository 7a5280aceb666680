import type { IncidentStepDraft } from './incident.js';

/**
 * What a step is to a pager. An incident is one page: its opening. What comes after it, also that it waits for approval, is
 * news of the same incident, for whoever has been woken already. But whoever was woken may have gone back to bed, trusting
 * automation or having approved what it does: each time that it gives up, somebody is woken again.
 *
 *   opened → page ──[ approved → taken ]── escalated → escalated ── approved → taken …──► resolved → over
 */
export const PAGES = ['page', 'escalated', 'taken', 'over'] as const;
export type Page = (typeof PAGES)[number];

/** null: nobody is told. */
export function pageOf({ type }: Pick<IncidentStepDraft, 'type'>): Page | null {
  switch (type) {
    case 'opened':
      return 'page';
    case 'escalated':
      return 'escalated';
    // Both end an escalation: a person has it, and the run goes on or winds up.
    case 'approved':
    case 'aborted':
      return 'taken';
    case 'resolved':
      return 'over';
    default:
      return null;
  }
}
