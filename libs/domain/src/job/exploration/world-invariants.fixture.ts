import type { DecisionDraft, DecisionKind } from '../events/decisions.js';
import { foldJob, type JobEvent } from '../fold/fold.js';
import { retriesUsed } from '../plan/limits.js';
import type { Plan } from '../plan/plan.js';
import { stateToJson } from '../fold/state-json.js';
import type { JobStatus, JobView } from '../view/view.js';
import type { World } from './world.fixture.js';

/** What must hold of every history, whoever delays, repeats or dies. Violations are collected by a stable word. */
export type Violation =
  | 'order_decides'
  | 'number_used_twice'
  | 'granted_twice'
  | 'redeemed_twice'
  | 'token_does_not_rise'
  | 'two_claimed_successes'
  | 'recovery_of_a_finished_job'
  | 'left_the_end_by_itself'
  | 'more_grants_than_retries'
  | 'recovery_under_a_live_lease'
  | 'recovery_over_an_unread_sign'
  | 'command_after_the_end'
  | 'ran_without_a_grant'
  | 'out_without_a_stop'
  | 'no_exit';

const RECOVERY: ReadonlySet<DecisionKind> = new Set([
  'retry-scheduled',
  'held-incomplete',
  'restart-requested',
  'restart-withdrawn',
  'requeued',
  'republished',
  'dead-lettered',
]);
const RESTS_ON_SILENCE: ReadonlySet<string> = new Set(['lost', 'claim']);

export class Witness {
  readonly violations = new Set<Violation>();
  readonly statuses = new Set<JobStatus>();
  private readonly numbers = new Set<number>();
  private readonly granted = new Set<number>([1]);
  private lastToken = 0;
  private readonly redeemed = new Set<number>();
  private lastRedeemed = 0;

  constructor(private readonly world: World) {}

  /** A decider is about to append on a row and a lease that it has just checked. */
  beforeDeciding(plan: Plan, drafts: readonly DecisionDraft[]): void {
    const { view, leases, nowMs, inFlight } = this.world;
    for (const draft of drafts) {
      if (!RECOVERY.has(draft.kind)) continue;
      if (view.finished) this.violations.add('recovery_of_a_finished_job');
      if (!RESTS_ON_SILENCE.has(draft.reason)) continue;
      const lease = leases.get(view.attempt);
      if (lease !== undefined && lease.beatMs + (lease.leaseMs ?? 0) > nowMs) {
        this.violations.add('recovery_under_a_live_lease');
      }
      const unread = inFlight.some(
        ({ sent, sinceMs }) =>
          (sent.type === 'heartbeat' || sent.type === 'started') && sent.attempt === view.attempt && sinceMs < plan.dueMs,
      );
      if (unread) this.violations.add('recovery_over_an_unread_sign');
    }
  }

  /** A claim is about to grant or to end: nothing that lives, or may be on its way, must be overtaken. */
  claiming(draft: DecisionDraft): void {
    const { view, leases, nowMs, inFlight } = this.world;
    if (view.finished) this.violations.add('recovery_of_a_finished_job');
    const lease = leases.get(view.attempt);
    const alive = lease !== undefined && lease.beatMs + (lease.leaseMs ?? 0) > nowMs;
    if (view.status === 'processing' && draft.evidence?.['because'] === 'lost' && alive) {
      this.violations.add('recovery_under_a_live_lease');
    }
    const endMs = lease === undefined ? 0 : lease.beatMs + (lease.leaseMs ?? 0);
    const unread = inFlight.some(
      ({ sent, sinceMs }) => sent.type === 'heartbeat' && sent.attempt === view.attempt && sinceMs < endMs,
    );
    if (view.status === 'processing' && draft.evidence?.['because'] === 'lost' && unread) {
      this.violations.add('recovery_over_an_unread_sign');
    }
  }

  /** Each attempt is redeemed once, and each redemption has a token above all before it. */
  redeeming(attempt: number, token: number): void {
    if (this.redeemed.has(attempt)) this.violations.add('redeemed_twice');
    this.redeemed.add(attempt);
    if (token <= this.lastRedeemed) this.violations.add('token_does_not_rise');
    this.lastRedeemed = Math.max(this.lastRedeemed, token);
  }

  event(event: JobEvent): void {
    if (event.kind !== 'decision') return;
    const { n, kind, attempt, token } = event.decision;
    if (this.numbers.has(n)) this.violations.add('number_used_twice');
    this.numbers.add(n);
    if (kind !== 'requeued') return;
    if (this.granted.has(attempt)) this.violations.add('granted_twice');
    this.granted.add(attempt);
    if (token === undefined || token <= this.lastToken) this.violations.add('token_does_not_rise');
  }

  committed(before: JobView, events: readonly JobEvent[]): void {
    const { view, state, rules } = this.world;
    this.statuses.add(view.status);
    if (view.token < this.lastToken) this.violations.add('token_does_not_rise');
    this.lastToken = Math.max(this.lastToken, view.token);
    const redriven = events.some((e) => e.kind === 'decision' && e.decision.kind === 'redriven');
    const succeededLate = before.status === 'dead-lettered' && view.status === 'succeeded';
    if (before.finished && view.status !== before.status && !redriven && !succeededLate) {
      this.violations.add('left_the_end_by_itself');
    }
    if (retriesUsed(state) > rules.maxRetries) this.violations.add('more_grants_than_retries');
    const successes = [...state.attempts.values()].filter((a) => a.succeeded).length;
    if (rules.mode === 'claims' && successes > 1) this.violations.add('two_claimed_successes');
  }

  sending(kind: 'enqueue' | 'stop'): void {
    if (kind === 'enqueue' && this.world.view.finished) this.violations.add('command_after_the_end');
  }

  taking(attempt: number): void {
    if (this.world.rules.mode !== 'owner' && !this.granted.has(attempt)) this.violations.add('ran_without_a_grant');
  }

  /** Looks at a world in which nothing is under way: who is still out must have a stop on its way. */
  atRest(): void {
    const { world } = this;
    const { status, finished } = world.view;
    // Only what waits for its `queued` may rest: everything else has a deadline of its own.
    if (!finished && status !== 'incomplete' && world.plan() === null) this.violations.add('no_exit');
    if (!finished || world.buffered.length + world.inFlight.length + world.pending.length > 0) return;
    if (world.published < world.decisions.length || world.due() !== null) return;
    for (const running of world.slots) {
      const stopped = world.commands.some((c) => c.kind === 'stop' && c.attempt === running?.attempt);
      if (running !== null && !stopped) this.violations.add('out_without_a_stop');
    }
  }

  /** The row is what its events fold to, backwards and doubled. */
  refolds(): void {
    const { log, state } = this.world;
    const refolded = foldJob([...log].reverse().concat(log));
    if (stateToJson(refolded) !== stateToJson(state)) this.violations.add('order_decides');
  }
}
