import type { DecisionDraft } from '../events/decisions.js';
import { planOf } from '../plan/plan.js';
import type { Subject } from '../plan/plan-types.js';
import { viewOf } from '../view/view.js';

/** What the lanes had been read up to before the row was locked, and the lane time under the lock, ms. */
export interface ClaimClock {
  readonly laneMs: number;
  readonly readMs: number;
}

/** What a claim decides of a job whose grant is not open, or when it may be asked again (null: nobody knows). */
export type NextGrant =
  | { readonly kind: 'decide'; readonly draft: DecisionDraft; readonly because: string }
  | { readonly kind: 'held'; readonly untilMs: number | null };

/**
 * The next grant, where a reconciler would make it by now. What that one does in steps is looked at as if each step had
 * been taken the moment it was due: below act nobody takes them, and yet the lease's end, then the grace, then the
 * backoff have to pass before the queue's own redelivery may run the job again.
 *
 * A hung worker is not overtaken like that: its lease is alive, and nobody has asked it to let go. Where the queue
 * recovers by itself, the claim is that recovery: nothing is left to it first.
 */
export function nextGrant(subject: Subject, clock: ClaimClock): NextGrant {
  let seen: Subject = {
    ...subject,
    policy: { ...subject.policy, owner: 'jobwarden' },
    limits: { ...subject.limits, hardTimeout: null },
  };
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const plan = planOf(seen, clock.laneMs);
    if (plan?.planned.kind !== 'decide') return { kind: 'held', untilMs: null };
    const untilMs = plan.dueMs > clock.laneMs ? plan.dueMs : clock.laneMs;
    if (plan.dueMs > clock.laneMs || (plan.gated && plan.dueMs > clock.readMs)) return { kind: 'held', untilMs };
    const [draft] = plan.planned.drafts;
    if (draft === undefined) return { kind: 'held', untilMs: null };
    if (draft.kind === 'requeued' || draft.kind === 'dead-lettered') {
      return { kind: 'decide', draft, because: plan.planned.reason };
    }
    if (draft.kind !== 'restart-requested' && draft.kind !== 'retry-scheduled') return { kind: 'held', untilMs: null };
    seen = after(seen, draft, plan.dueMs);
  }
  return { kind: 'held', untilMs: null };
}

/** Lost, then the grace over; or failed, then the backoff over: never more than one step before the grant. */
const MOST_STEPS = 3;

/** The job as if this had been decided then. */
function after(subject: Subject, draft: DecisionDraft, laneMs: number): Subject {
  const { state, view } = subject;
  const supposed = { ...state, decisions: [...state.decisions, { ...draft, n: view.n + 1, laneMs }] };
  return { ...subject, state: supposed, view: viewOf(supposed) };
}
