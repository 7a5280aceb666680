import { eventKeyHex } from '#libs/contracts';
import {
  contributionOf,
  decisionEventId,
  evolve,
  leaseEndMs,
  limitsOf,
  planOf,
  spreadOf,
  viewOf,
  type Contribution,
  type DecisionDraft,
  type Fact,
  type JobView,
  type Lease,
  type Plan,
  type Subject,
} from '#libs/domain';
import { gapEndFor } from '../ports/lane-clock.port.js';
import type { Held, JobWrite, LeaseWrite, LockedBatch, LockedJob, NewBody, NewEvent, VerdictWrite } from '../ports/log-store.port.js';
import type { PolicySource, ResolvedPolicy } from '../ports/policy-source.port.js';

/** What a fact brings besides itself. */
export interface FactExtras {
  readonly eventKey: string;
  readonly contentHash: Uint8Array | null;
  readonly bodies: readonly NewBody[];
  /** The contract's `data` as JSON text, redacted. */
  readonly data: string;
}

export interface Finish {
  /** A would-have was recorded: the job is not looked at again until something changes. */
  readonly resting?: boolean;
  /** Lane time ms; default: when the plan is due. */
  readonly lookAtMs?: number;
  readonly held?: Held;
}

/**
 * One job's change within a transaction: facts and numbered decisions are added, each on the fold of all before it;
 * `finish` gives the row as it then stands, with its schedule and what it adds to the counters.
 */
export class JobChange {
  private readonly events: NewEvent[] = [];
  private readonly leases: LeaseWrite[] = [];
  private readonly verdicts: VerdictWrite[] = [];
  private grades: Map<number, 'confirmed' | 'wrong'> | null = null;
  private readonly before: Contribution | null;
  private cached: JobView | null = null;
  private resolved: { readonly kind: string | null; readonly policy: ResolvedPolicy } | null = null;
  private lastN: number;

  constructor(
    readonly job: LockedJob,
    private readonly batch: LockedBatch,
    private readonly policies: PolicySource,
  ) {
    this.cached = job.folded?.view ?? null;
    this.before = job.version === 0 ? null : (job.folded?.contribution ?? contributionOf(job.state, this.view));
    this.lastN = job.state.decisions.at(-1)?.n ?? 0;
  }

  get view(): JobView {
    this.cached ??= viewOf(this.job.state);
    return this.cached;
  }

  get policy(): ResolvedPolicy {
    const kind = this.job.state.queued?.kind ?? null;
    if (this.resolved?.kind !== kind) this.resolved = { kind, policy: this.policies.policyFor(this.job.ref, kind) };
    return this.resolved.policy;
  }

  get changed(): boolean {
    return this.events.length + this.leases.length + this.verdicts.length + (this.grades?.size ?? 0) > 0;
  }

  addFact(fact: Fact, extras: FactExtras): void {
    evolve(this.job.state, { kind: 'fact', fact });
    this.cached = null;
    this.grade(fact);
    this.events.push({
      event: { kind: 'fact', fact },
      goesOut: this.completes(fact),
      ...extras,
    });
  }

  /** Numbers the draft on the fold of everything before it. `extras` of the event that it answers, when it does. */
  decide(draft: DecisionDraft, extras?: FactExtras): void {
    this.lastN += 1;
    const decision = { ...draft, n: this.lastN, laneMs: this.batch.laneMs };
    const { source, id } = decisionEventId(decision);
    evolve(this.job.state, { kind: 'decision', decision });
    this.cached = null;
    this.events.push({
      event: { kind: 'decision', decision },
      eventKey: extras?.eventKey ?? eventKeyHex(source, id),
      contentHash: extras?.contentHash ?? null,
      goesOut: GOES_OUT.has(draft.kind),
      bodies: extras?.bodies ?? [],
      data: null,
    });
  }

  addLease(lease: LeaseWrite): void {
    this.leases.push(lease);
    this.gradeWrong(lease.attempt);
  }

  addVerdict(verdict: VerdictWrite): void {
    this.verdicts.push(verdict);
  }

  /** A heartbeat came for an attempt that something was said of. */
  gradeWrong(attempt: number): void {
    this.graded(attempt, 'wrong');
  }

  plan(nowMs: number): Plan | null {
    return planOf(this.subject(), nowMs);
  }

  /** Until when the current attempt's worker is under its lease, lane time ms; null: it is under none. */
  get leaseEndMs(): number | null {
    return leaseEndMs(this.subject());
  }

  finish(options: Finish = {}): JobWrite {
    const view = this.view;
    const plan = this.plan(this.batch.laneMs);
    const held = view.status === 'processing' || view.status === 'restart-requested';
    return {
      job: this.job,
      view,
      events: this.events,
      waitsFor: plan?.waitsFor ?? null,
      lookAtMs: options.resting === true ? null : (options.lookAtMs ?? plan?.dueMs ?? null),
      worker: held ? (this.job.state.attempts.get(view.attempt)?.starts[0]?.worker.id ?? null) : null,
      before: this.before,
      after: contributionOf(this.job.state, view),
      leases: this.leases,
      verdicts: this.verdicts,
      grades: this.job.openVerdicts ? [...(this.grades ?? [])].map(([attempt, grade]) => ({ attempt, grade })) : [],
      scheduleOnly: this.events.length === 0,
      held: options.held ?? null,
    };
  }

  /** Keys go out at completion: those of `queued` with it, or when it comes only afterwards. */
  private completes(fact: Fact): boolean {
    const { queued } = this.job.state;
    if (fact.type === 'succeeded') return fact.invalidates !== undefined || queued?.invalidates !== undefined;
    return fact.type === 'queued' && fact.invalidates !== undefined && this.view.status === 'succeeded';
  }

  /** Everything that a plan, or a claim, depends on. */
  subject(): Subject {
    const { policy, sources, gate } = this.policy;
    const { job, batch, view } = this;
    return {
      state: job.state,
      view,
      lease: this.leaseOf(view.attempt),
      policy,
      limits: limitsOf(job.state, policy, sources, null),
      gapEndMs: gapEndFor(batch.gaps, policy.heartbeatTransport),
      epoch: batch.epoch,
      resumedMs: gate?.resumedMs ?? 0,
      spread: (attempt) => spreadOf(job.keyHex, attempt),
    };
  }

  private leaseOf(attempt: number): Lease | null {
    const added = this.leases.find((l) => l.attempt === attempt);
    const stored = this.job.leases.get(attempt) ?? null;
    if (added === undefined) return stored;
    return stored !== null && stored.beatMs > added.beatMs ? stored : { beatMs: added.beatMs, leaseMs: added.leaseMs };
  }

  /** Wrong when the attempt beat again or ended, which always wins; confirmed when a later attempt started. */
  private grade(fact: Fact): void {
    if (!this.job.openVerdicts || fact.type === 'queued' || fact.type === 'cancelled') return;
    if (fact.type === 'started' || fact.type === 'claimed') {
      for (const a of this.judged()) if (a < fact.attempt && this.grades?.has(a) !== true) this.graded(a, 'confirmed');
    }
    this.gradeWrong(fact.attempt);
  }

  private graded(attempt: number, grade: 'confirmed' | 'wrong'): void {
    this.grades ??= new Map();
    this.grades.set(attempt, grade);
  }

  /** Attempts that were current once, and so may have been judged: the number that a fact names counts for nothing. */
  private judged(): ReadonlySet<number> {
    const { attempts, decisions } = this.job.state;
    return new Set([1, ...attempts.keys(), ...decisions.filter((d) => d.kind === 'requeued').map((d) => d.attempt)]);
  }
}

const GOES_OUT: ReadonlySet<string> = new Set(['requeued', 'republished', 'stop-requested', 'dead-lettered', 'invalidation-requested']);
