import { JOBWARDEN } from '../events/decisions.js';
import type { Plan, Subject } from './plan-types.js';

/** queued, requeued: until somebody starts it. Past start-by it is starved: reported once, then ever more rarely. */
export function planWaiting(subject: Subject, reportedMs: number): Plan {
  const { state, view, limits, resumedMs = 0 } = subject;
  const fromMs = Math.max(view.sinceMs, state.queued?.notBeforeMs ?? 0, lastRepublishedMs(subject), resumedMs);
  if (mayRepublish(subject)) {
    return {
      waitsFor: 'start',
      dueMs: fromMs + limits.startByMs,
      gated: true,
      planned: {
        kind: 'decide',
        action: 'requeue',
        reason: 'start_by',
        threshold: { source: 'queue', ms: limits.startByMs },
        drafts: [
          { kind: 'republished', attempt: view.attempt, token: view.token, reason: 'start_by', by: JOBWARDEN },
        ],
      },
    };
  }
  return {
    waitsFor: 'start',
    dueMs: nextReportMs(fromMs, limits.startByMs, reportedMs),
    gated: true,
    planned: { kind: 'report', verdict: 'starved', threshold: { source: 'queue', ms: limits.startByMs } },
  };
}

/**
 * A command that is lost is sent again, under the same attempt, and only where copies are harmless: a second start
 * of it would find its grant redeemed, or its consumer drops repeats.
 */
function mayRepublish({ view, state, policy }: Subject): boolean {
  if (view.status !== 'requeued' || !(policy.claims === 'required' || policy.dedupes)) return false;
  // What a person sends again counts against nobody.
  const copies = state.decisions.filter(
    (d) => d.kind === 'republished' && d.attempt === view.attempt && d.by === JOBWARDEN,
  );
  return copies.length < policy.republish;
}

function lastRepublishedMs({ state, view }: Subject): number {
  const last = state.decisions.findLast((d) => d.kind === 'republished' && d.attempt === view.attempt);
  return last?.laneMs ?? 0;
}

/** from + startBy, then at 2, 4, 8 … times start-by: no counter to keep, and a restart changes nothing. */
function nextReportMs(fromMs: number, startByMs: number, reportedMs: number): number {
  let waitMs = Math.max(startByMs, 1);
  while (fromMs + waitMs <= reportedMs) waitMs *= 2;
  return fromMs + waitMs;
}
