import { decideClaim } from '../claim/claim.js';
import type { Decision, DecisionDraft } from '../events/decisions.js';
import type { AttemptFact, Fact, Heartbeat, StartedFact, Worker } from '../events/facts.js';
import { evolve, type JobEvent } from '../fold/fold.js';
import { draftsOf, numbered, takeIn } from '../intake/intake.js';
import { writeRefusal } from '../intake/write-refusal.js';
import { limitsOf } from '../plan/limits.js';
import { planOf, type Lease, type Plan, type Subject } from '../plan/plan.js';
import { emptyState, type JobState } from '../fold/state.js';
import { stateFromJson, stateToJson } from '../fold/state-json.js';
import { POLICY } from '../plan/subject.fixture.js';
import { viewOf, type JobView } from '../view/view.js';
import { Witness } from './world-invariants.fixture.js';

/**
 * One job in a small world, over the real fold, intake and plans: two workers that may die at any step, facts that are
 * buffered, delayed, reordered and repeated, commands likewise, deciders that read and append in separate steps, a
 * publisher that checks and sends in separate steps, a clock that may jump over any deadline.
 *
 * Not in it: several jobs, budgets, the blackout guard, pauses, levels below act, invalidations.
 */
export interface Rules {
  /** `owner`: the queue retries by itself (`owner: queue`). */
  readonly mode: 'observed' | 'claims' | 'owner';
  readonly maxRetries: number;
  /** The `queued` of the job does not come before everything else is over. */
  readonly queuedLate: boolean;
  /** What the service holds to. A twin lets one go and must be caught. */
  readonly rowCheck: boolean;
  readonly leaseCheck: boolean;
  readonly watermark: boolean;
  readonly stops: boolean;
  readonly publishCheck: boolean;
  /** The code under test; a twin brings a wrong one. */
  readonly code: Code;
}

export interface Code {
  readonly decideClaim: typeof decideClaim;
  readonly evolve: typeof evolve;
  readonly takeIn: typeof takeIn;
  readonly planOf: typeof planOf;
}

export const REAL: Code = { decideClaim, evolve, takeIn, planOf };

export const SOUND: Rules = {
  ...{ mode: 'observed', maxRetries: 2, queuedLate: false },
  ...{ rowCheck: true, leaseCheck: true, watermark: true, stops: true, publishCheck: true },
  code: REAL,
};

/** A fact as its emitter knows it; lane time and epoch come at intake. */
export type Sent = Fact | Heartbeat;
export interface Command {
  readonly kind: 'enqueue' | 'stop';
  readonly attempt: number;
  readonly token?: number;
}
export interface Running {
  readonly worker: Worker;
  readonly attempt: number;
  /** As the claim's answer gave it. */
  readonly token?: number;
}
interface Pending {
  readonly version: number;
  readonly leaseVersion: number;
  readonly n: number;
  readonly plan: Plan;
  readonly drafts: readonly DecisionDraft[];
}

const LEASE_MS = 300;

export class World {
  nowMs = 1;
  epoch = 0;
  readonly log: JobEvent[] = [];
  state: JobState = emptyState();
  readonly leases = new Map<number, Lease>();
  /** Not yet sent: no watermark knows of it. */
  buffered: Sent[] = [];
  /** Requests under way: the oldest of them is the lane's watermark. */
  inFlight: { readonly sent: Sent; readonly sinceMs: number }[] = [];
  commands: Command[] = [{ kind: 'enqueue', attempt: 1 }];
  readonly slots: (Running | null)[] = [null, null];
  pending: Pending[] = [];
  readonly witness = new Witness(this);
  /** Of the publisher: how far it has come, and whether it has checked the next one. */
  published = 0;
  checked = false;
  private version = 0;
  private leaseVersion = 0;
  private ids = 0;
  private readonly known = new Set<string>();

  constructor(readonly rules: Rules) {
    if (!rules.queuedLate) this.sendQueued();
  }

  sendQueued(): void {
    this.buffered.push({ type: 'queued', ...this.identity() });
  }

  get view(): JobView {
    return viewOf(this.state);
  }

  get decisions(): Decision[] {
    return this.log.flatMap((e) => (e.kind === 'decision' ? [e.decision] : []));
  }

  get watermarkMs(): number {
    return Math.min(this.nowMs, ...this.inFlight.map((f) => f.sinceMs));
  }

  identity(): { source: string; id: string; laneMs: number } {
    this.ids += 1;
    return { source: 'world', id: String(this.ids), laneMs: 0 };
  }

  plan(): Plan | null {
    return this.rules.code.planOf(this.subject(), this.nowMs - 1);
  }

  /** The plan, where a reconciler that looks now would carry it out. */
  due(): Plan | null {
    const plan = this.plan();
    if (plan?.planned.kind !== 'decide') return null;
    const untilMs = plan.gated && this.rules.watermark ? this.watermarkMs : this.nowMs;
    return plan.dueMs <= untilMs ? plan : null;
  }

  emit(running: Running, fact: Partial<AttemptFact | Heartbeat> & Pick<AttemptFact | Heartbeat, 'type'>): void {
    const { worker, attempt, token } = running;
    const ownerQueue = this.rules.mode === 'owner' ? { ownerQueue: true } : {};
    this.buffered.push({ ...this.identity(), attempt, worker, ...(token !== undefined && { token }), ...ownerQueue, ...fact } as Sent);
  }

  receive(sent: Sent): void {
    if (sent.type === 'heartbeat') {
      this.beat(sent);
      return;
    }
    const key = `${sent.source}/${sent.id}`;
    if (this.known.has(key)) return;
    this.known.add(key);
    this.takeIn(sent);
  }

  /** A worker takes a command: observed it just starts, with claims it asks first. */
  take(slot: number, command: Command): void {
    this.ids += 1;
    const worker = { id: `w${String(slot)}`, incarnation: String(this.ids) };
    if (this.rules.mode === 'claims') {
      this.claim(slot, worker, command);
      return;
    }
    const running = { worker, attempt: command.attempt };
    this.slots[slot] = running;
    this.emit(running, { type: 'started', leaseMs: LEASE_MS });
  }

  read(plan: Plan): void {
    const drafts = plan.planned.kind === 'decide' ? plan.planned.drafts : [];
    const { version, leaseVersion } = this;
    this.pending.push({ version, leaseVersion, n: this.view.n + 1, plan, drafts });
  }

  /** Appends what was read, unless the row or the lease has changed since. */
  append(pending: Pending): void {
    this.pending = this.pending.filter((p) => p !== pending);
    if (this.rules.rowCheck && pending.version !== this.version) return;
    if (this.rules.leaseCheck && pending.leaseVersion !== this.leaseVersion) return;
    this.witness.beforeDeciding(pending.plan, pending.drafts);
    this.commit(null, pending.drafts, pending.n);
  }

  decide(...drafts: readonly DecisionDraft[]): void {
    this.commit(null, drafts, this.view.n + 1);
  }

  private takeIn(sent: Fact): void {
    const stamped = { ...sent, laneMs: this.nowMs, ...(this.epoch > 0 && { epoch: this.epoch }) } as Fact;
    const intake = this.rules.code.takeIn(this.state, stamped, {
      ...{ stopsAllowed: this.rules.stops, tokensRequired: this.rules.mode === 'claims', epoch: this.epoch },
    });
    const { fact, drafts } = draftsOf(intake);
    this.commit(fact, drafts, this.view.n + 1);
  }

  private beat(beat: Heartbeat): void {
    const { view } = this;
    if (view.finished || beat.attempt !== view.attempt || this.log.length === 0) return;
    if (writeRefusal(this.state, beat, { tokensRequired: this.rules.mode === 'claims', epoch: this.epoch }) !== null) return;
    const known = this.state.attempts.get(beat.attempt);
    if (known?.firstStartMs == null && known?.outcome == null) {
      const start: StartedFact = { ...beat, type: 'started', worker: beat.worker ?? { id: beat.source } };
      this.receive(start);
    }
    this.leases.set(beat.attempt, { beatMs: this.nowMs, leaseMs: LEASE_MS });
    this.leaseVersion += 1;
  }

  /** One transaction under the row's lock. The token is the command's only now and then: a claim need not name one. */
  private claim(slot: number, worker: Worker, command: Command): void {
    const claimId = `claim-${worker.incarnation ?? ''}`;
    const token = command.token !== undefined && this.nowMs % 2 === 0 ? { token: command.token } : {};
    const claimed = this.rules.code.decideClaim(this.subject(), { claimId, worker, leaseMs: LEASE_MS, ...token }, {
      ...{ laneMs: this.nowMs, readMs: this.rules.watermark ? this.watermarkMs : this.nowMs },
      ...{ gate: 'open', actionsEnabled: true, quarantined: false, revisionRefused: false },
    });
    if (claimed.kind === 'unread') return;
    const draft = claimed.kind === 'granted' ? claimed.grant : claimed.draft;
    if (draft !== null) this.witness.claiming(draft);
    const drafts = draft === null ? [] : [draft];
    if (claimed.kind === 'refused') {
      if (drafts.length > 0) this.decide(...drafts);
      return;
    }
    this.decide(...drafts);
    this.slots[slot] = { worker, attempt: claimed.attempt, token: claimed.token };
    this.witness.redeeming(claimed.attempt, claimed.token);
    if (claimed.fact !== null) this.commit(claimed.fact, [], 0);
    this.leases.set(claimed.attempt, { beatMs: this.nowMs, leaseMs: LEASE_MS });
    this.leaseVersion += 1;
  }

  /** One transaction. The row goes through its text, as it does in the database. */
  private commit(fact: Fact | null, drafts: readonly DecisionDraft[], firstN: number): void {
    const decisions = drafts.map((draft, i) => numbered(draft, firstN + i, this.nowMs));
    const events: JobEvent[] = fact === null ? decisions : [{ kind: 'fact', fact }, ...decisions];
    const before = this.view;
    for (const event of events) {
      this.witness.event(event);
      this.rules.code.evolve(this.state, event);
      this.log.push(event);
    }
    this.state = stateFromJson(stateToJson(this.state));
    this.version += 1;
    this.witness.committed(before, events);
  }

  private subject(): Subject {
    const { state, view, epoch, rules } = this;
    const policy = { ...POLICY, ...{ maxRetries: rules.maxRetries, dedupes: rules.mode !== 'observed' } };
    const owner = rules.mode === 'owner' ? ('queue' as const) : policy.owner;
    return {
      ...{ state, view, epoch, gapEndMs: 0, spread: () => 0, lease: this.leases.get(view.attempt) ?? null },
      policy: { ...policy, owner },
      limits: limitsOf(state, policy, {}, null),
    };
  }
}
