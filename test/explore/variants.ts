import { viewOf, type JobState, type Subject } from '#libs/domain';
import { REAL, SOUND, type Code, type Rules } from './code.js';
import type { Invariant } from './invariants.js';
import type { Budget, Scenario } from './scenario.js';
import { scenariosOf } from './scenario.js';

/** The protocol without one of its rules. The exploration has to find what that rule is there for. */
export interface Variant {
  readonly name: string;
  /** What is broken, in words. */
  readonly what: string;
  readonly rules: Rules;
  readonly scenario: Scenario;
  readonly breaks: Invariant;
}

const [OBSERVED, CLAIMS] = scenariosOf(1) as [Scenario, Scenario];

function variant(
  name: string,
  [what, breaks]: readonly [string, Invariant],
  broken: Partial<Omit<Rules, 'code'>> & { readonly code?: Partial<Code> },
  world: Partial<Omit<Scenario, 'budget'>> & { readonly budget?: Partial<Budget> } = {},
): Variant {
  const base = world.mode === 'claims' ? CLAIMS : OBSERVED;
  return {
    ...{ name, what, breaks },
    rules: { ...SOUND, ...broken, code: { ...REAL, ...broken.code } },
    scenario: { ...base, ...world, name, budget: { ...base.budget, ...world.budget } },
  };
}

const { decideClaim, evolve, planOf, takeIn, operatorDrafts } = REAL;

export const VARIANTS: readonly Variant[] = [
  variant('no-watermark', ['a reconciler that looks beyond the watermark', 'unread'], { watermark: false }),
  variant('no-row-version', ['a decider that does not check the version of the row', 'numbers'], { rowCheck: false }),
  variant('no-row-version-end', ['the same, and a job that has ended', 'finished'], { rowCheck: false }),
  variant('no-lease-version', ['a decider that does not check the lease', 'liveLease'], { leaseCheck: false }, { budget: { beats: 1 } }),
  variant('requeue-without-recheck', ['a claim that grants the next attempt without looking at the lease', 'liveLease'], { code: { decideClaim: (s, r, c) => decideClaim(overdue(s), r, c) } }, { mode: 'claims', budget: { copies: 1 } }),
  variant('claim-jumps-backoff', ['a claim that does not wait for the backoff', 'backoff'], { code: { decideClaim: (s, r, c) => decideClaim(s, r, { ...c, laneMs: c.laneMs + 9, readMs: (c.readMs ?? 0) + 9 }) } }, { mode: 'claims', budget: { copies: 1 } }),
  variant('claim-beyond-watermark', ['a claim that looks beyond the watermark', 'unread'], { code: { decideClaim: (s, r, c) => decideClaim(s, r, { ...c, readMs: c.laneMs }) } }, { mode: 'claims', budget: { copies: 1 } }),
  variant('redeem-twice', ['a claim that redeems what is redeemed', 'redemption'], { code: { decideClaim: (s, r, c) => decideClaim(forgetful(s), r, c) } }, { mode: 'claims', budget: { copies: 1 } }),
  variant('claim-forgets', ['a repeated claim that is a new one', 'claimAgain'], { code: { decideClaim: (s, r, c) => otherToken(decideClaim(s, r, c)) } }, { mode: 'claims', budget: { lostAnswers: 1 } }),
  variant('accept-every-fact', ['an intake that accepts every late fact', 'oneSuccess'], { code: { takeIn: (_, fact) => ({ outcome: 'accepted', fact, then: [] }) } }, { mode: 'claims' }),
  variant('accept-late-winner', ['an intake that accepts the success of an attempt that has lost', 'lastEffect'], { code: { takeIn: (s, f, c) => (f.type === 'succeeded' ? { outcome: 'accepted', fact: f, then: [] } : takeIn(s, f, c)) } }, { mode: 'claims' }),
  variant('publish-before-commit', ['a publisher that sends before the commit', 'commandCommitted'], { commitFirst: false }),
  variant('publish-without-check', ['a publisher that does not look again', 'commandTrue'], { code: { isCurrent: () => true } }, { budget: { copies: 1 } }),
  variant('command-before-invalidation', ['a publisher that sends the command first', 'invalidated'], { invalidationFirst: false }),
  variant('checkpoint-before-sending', ['a publisher that moves its checkpoint first', 'checkpoint'], { sendFirst: false }, { budget: { crashes: 1 } }),
  variant('fold-by-arrival', ['a fold that lets the last report win', 'order'], { code: { evolve: byArrival } }),
  variant('no-unique-ids', ['a log that takes the same fact twice', 'repeat'], { uniqueIds: false }, { budget: { copies: 1 } }),
  variant('token-stands-still', ['a requeue that gives the old token again', 'tokens'], { code: { planOf: (s, at) => withDrafts(planOf(s, at), (d) => (d.kind === 'requeued' ? { ...d, token: s.view.token } : d)) } }),
  variant('grant-again', ['a requeue of the attempt that is current', 'grants'], { code: { planOf: (s, at) => withDrafts(planOf(s, at), (d) => (d.kind === 'requeued' ? { ...d, attempt: s.view.attempt } : d)) } }),
  variant('endless-retries', ['a plan that forgets how often it has retried', 'retries'], { code: { planOf: (s, at) => planOf({ ...s, limits: { ...s.limits, maxRetries: 3 } }, at) } }, { retries: 0 }),
  variant('retry-what-failed-for-good', ['a plan that takes a failure for good for any other', 'forGood'], { code: { planOf: (s, at) => planOf(retryable(s), at) } }),
  variant('retry-stands', ['a retry that stands although another run has failed for good', 'forGood'], { code: { planOf: (s, at) => planOf(asScheduled(s), at) } }, { budget: { copies: 1 } }),
  variant('incomplete-jumps-backoff', ['a requeue of what was incomplete that does not wait for the backoff', 'backoff'], { code: { planOf: (s, at) => planOf(s.view.status === 'incomplete' ? withoutBackoff(s) : s, at) } }),
  variant('stops-nobody', ['a plan and an intake that stop nobody', 'stops'], { stopsAllowed: false, code: { planOf: (s, at) => (s.view.finished ? null : planOf(s, at)) } }),
  variant('no-late-stop', ['an intake that gives no stop to a late start', 'stops'], { stopsAllowed: false }, { budget: { copies: 1 } }),
  variant('redrive-a-success', ['a redrive that does not look for a success', 'redrive'], { code: { operatorDrafts: (a, r, s) => operatorDrafts(a, r, { ...s, state: withoutSuccess(s.state) }) } }, { budget: { redrives: 1 } }),
  variant('no-grace-end', ['a plan that never comes back from a request to restart', 'schedule'], { code: { planOf: (s, at) => (s.view.status === 'restart-requested' ? null : planOf(s, at)) } }),
  variant('grace-for-ever', ['a request to restart whose grace has no end', 'exits'], { code: { planOf: (s, at) => later(s, planOf(s, at)) } }),
];

/** As if the lease had long ended, and the grace with it. */
function overdue(subject: Subject): Subject {
  const state = { ...subject.state, attempts: new Map([...subject.state.attempts].map(([n, a]) => [n, { ...a, lastStartMs: a.lastStartMs === null ? null : -9 }])) };
  return { ...subject, state, lease: null, limits: { ...subject.limits, graceMs: 0 } };
}

/** As if nobody had begun it. */
function forgetful(subject: Subject): Subject {
  const state = { ...subject.state, attempts: new Map([...subject.state.attempts].filter(([, a]) => a.outcome !== null)) };
  return { ...subject, state, view: viewOf(state) };
}

function otherToken(claimed: ReturnType<typeof decideClaim>): ReturnType<typeof decideClaim> {
  return claimed.kind === 'granted' && claimed.fact === null ? { ...claimed, token: claimed.token + 1 } : claimed;
}

function byArrival(state: JobState, event: Parameters<typeof evolve>[1]): void {
  const attempt = event.kind === 'fact' && 'attempt' in event.fact ? state.attempts.get(event.fact.attempt) : undefined;
  if (attempt !== undefined) attempt.outcome = null;
  evolve(state, event);
}

type Drafts = Extract<NonNullable<ReturnType<typeof planOf>>['planned'], { kind: 'decide' }>['drafts'];

function withDrafts(plan: ReturnType<typeof planOf>, change: (draft: Drafts[number]) => Drafts[number]): ReturnType<typeof planOf> {
  if (plan?.planned.kind !== 'decide') return plan;
  return { ...plan, planned: { ...plan.planned, drafts: plan.planned.drafts.map(change) } };
}

function retryable(subject: Subject): Subject {
  const attempts = [...subject.state.attempts].map(([n, a]) => [n, a.outcome?.kind === 'failed-for-good' ? { ...a, outcome: { ...a.outcome, kind: 'failed' as const } } : a] as const);
  return { ...subject, state: { ...subject.state, attempts: new Map(attempts) } };
}

/** As if a retry, once it is scheduled, bore the status whatever comes. */
function asScheduled(subject: Subject): Subject {
  const { state, view } = subject;
  if (!state.decisions.some((d) => d.kind === 'retry-scheduled' && d.attempt === view.attempt)) return subject;
  const before = retryable(subject);
  return { ...before, view: viewOf(before.state) };
}

function withoutBackoff({ policy, ...subject }: Subject): Subject {
  return { ...subject, policy: { ...policy, backoff: { ...policy.backoff, initialMs: 0, maxMs: 0 } } };
}

function withoutSuccess(state: JobState): JobState {
  return { ...state, attempts: new Map([...state.attempts].filter(([, a]) => !a.succeeded)) };
}

function later(subject: Subject, plan: ReturnType<typeof planOf>): ReturnType<typeof planOf> {
  return subject.view.status === 'restart-requested' && plan !== null ? { ...plan, dueMs: Number.MAX_SAFE_INTEGER } : plan;
}
