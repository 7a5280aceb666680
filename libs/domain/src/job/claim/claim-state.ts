import type { JobView } from '../view/view.js';

/** What whoever runs an attempt should do with it: the answer to a start and to every heartbeat. */
export const CLAIM_STATES = ['go-on', 'restart-requested', 'superseded', 'finished'] as const;
export type ClaimState = (typeof CLAIM_STATES)[number];

export function claimStateOf(view: Pick<JobView, 'status' | 'attempt' | 'finished'>, attempt: number): ClaimState {
  if (view.finished) return 'finished';
  if (attempt < view.attempt) return 'superseded';
  return view.status === 'restart-requested' && attempt === view.attempt ? 'restart-requested' : 'go-on';
}
