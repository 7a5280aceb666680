import type { IncidentStepDraft } from './incident.js';

/**
 * What a step is to a pager. An incident is one page: its opening. What comes after it, also that it waits for approval or
 * was escalated, is news of the same incident, for whoever has been woken already.
 *
 *   opened → page ── approved → taken ──► resolved → over
 */
export const PAGES = ['page', 'taken', 'over'] as const;
export type Page = (typeof PAGES)[number];

/** null: nobody is told. */
export function pageOf({ type }: Pick<IncidentStepDraft, 'type'>): Page | null {
  if (type === 'opened') return 'page';
  if (type === 'approved') return 'taken';
  return type === 'resolved' ? 'over' : null;
}
