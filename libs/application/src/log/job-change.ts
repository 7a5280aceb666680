import { eventKeyHex } from '#libs/contracts';
import {
  contributionOf,
  decisionEventId,
  erasureOf,
  evolve,
  isBearing,
  isByHand,
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
import type { GradeSign, Held, JobWrite, LeaseWrite, LockedBatch, LockedJob, NewBody, NewEvent, Settlement, VerdictWrite } from '../ports/log-store.port.js';
import type { PolicySource, ResolvedPolicy } from '../ports/policy-source.port.js';
import { VerdictBook } from './verdict-marks.js';

/** What a fact brings besides itself. */
export interface FactExtras {
  readonly eventKey: string;
  readonly contentHash: Uint8Array | null;
  readonly bodies: readonly NewBody[];
  /** The contract's `data` as JSON text, redacted. */
  readonly data: string;
  /** Where redaction has cut something out. */
  readonly redacted?: readonly string[];
}

export interface Finish {
  /** A would-have was recorded: the job is not looked at again until something changes. */
  readonly resting?: boolean;
  /** Lane time ms; default: when the plan is due. */
  readonly lookAtMs?: number;
  readonly held?: Held;
  readonly settled?: readonly Settlement[];
}

/**
 * One job's change within a transaction: facts and numbered decisions are added, each on the fold of all before it;
 * `finish` gives the row as it then stands, with its schedule and what it adds to the counters.
 */
export class JobChange {
  private readonly events: NewEvent[] = [];
  private readonly leases: LeaseWrite[] = [];
  private readonly book: VerdictBook;
  private readonly before: Contribution | null;
  private cached: JobView | null = null;
  private resolved: { readonly kind: string | null; readonly policy: ResolvedPolicy } | null = null;
  private lastN: number;

  constructor(
    readonly job: LockedJob,
    private readonly batch: LockedBatch,
    private readonly policies: PolicySource,
  ) {
    this.book = new VerdictBook(job.verdictMarks);
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
    return this.events.length + this.leases.length > 0 || this.book.changed;
  }

  addFact(fact: Fact, extras: FactExtras): void {
    evolve(this.job.state, { kind: 'fact', fact });
    this.cached = null;
    this.grade(fact);
    this.events.push({
      event: { kind: 'fact', fact },
      goesOut: this.completes(fact),
      ...extras,
      bodies: this.kept(extras.bodies),
    });
  }

  /** Numbers the draft on the fold of everything before it. `extras`: of the event that it answers, and bodies that it brings. */
  decide(draft: DecisionDraft, extras?: Partial<FactExtras>): void {
    this.lastN += 1;
    const decision = { ...draft, n: this.lastN, laneMs: this.batch.laneMs };
    const { source, id } = decisionEventId(decision);
    if (draft.kind === 'write-refused') this.book.saw(draft.attempt, signOf(draft.evidence?.['fact']));
    else if (isBearing(draft.kind) || isByHand(draft.kind)) this.book.moves(ENDS_APPROVAL.has(draft.kind));
    evolve(this.job.state, { kind: 'decision', decision });
    this.cached = null;
    this.events.push({
      event: { kind: 'decision', decision },
      eventKey: extras?.eventKey ?? eventKeyHex(source, id),
      contentHash: extras?.contentHash ?? null,
      goesOut: GOES_OUT.has(draft.kind),
      bodies: this.kept(extras?.bodies ?? []),
      data: null,
    });
  }

  /** After an erasure nothing of them: neither of what counts nor of what is refused. */
  private kept(bodies: readonly NewBody[]): readonly NewBody[] {
    return bodies.length > 0 && erasureOf(this.job.state) !== null ? bodies.map(erased) : bodies;
  }

  /** A backlog brings several beats of one attempt at once; as in the table, the newest of them counts. */
  addLease(lease: LeaseWrite): void {
    const at = this.leases.findIndex((l) => l.attempt === lease.attempt);
    const before = this.leases[at];
    if (before === undefined) this.leases.push(lease);
    else this.leases[at] = lease.beatMs >= before.beatMs ? renewed(before, lease) : renewed(lease, before);
    this.saw(lease.attempt, 'beat');
  }

  addVerdict(verdict: VerdictWrite): void {
    this.book.add(verdict);
  }

  /** Something came of an attempt that may have been judged. */
  saw(attempt: number, sign: GradeSign): void {
    this.book.saw(attempt, sign);
    if (attempt === this.view.attempt) this.book.moves(true);
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
    if (view.finished) this.book.moves(true);
    this.book.settle(options.settled ?? []);
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
      verdicts: this.book.verdicts,
      grades: this.book.grades,
      settled: options.settled ?? [],
      lapses: this.book.lapses,
      verdictMarks: this.book.marks(view.attempt),
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
    const { policy, sources, gate, learned = null } = this.policy;
    const { job, batch, view } = this;
    return {
      state: job.state,
      view,
      lease: this.leaseOf(view.attempt),
      policy,
      limits: limitsOf(job.state, policy, sources, learned),
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

  /** A sign of the attempt itself, which may prove wrong what was said of it; a start confirms it of those before. */
  private grade(fact: Fact): void {
    if (this.job.verdictMarks === 0 || fact.type === 'queued' || fact.type === 'cancelled') return;
    if (fact.type === 'started' || fact.type === 'claimed') {
      for (const a of this.judged()) if (a < fact.attempt) this.book.saw(a, 'next');
    }
    this.book.saw(fact.attempt, signOf(fact));
    if (fact.attempt >= this.view.attempt) this.book.moves(true);
  }

  /** Attempts that were current once, and so may have been judged: the number that a fact names counts for nothing. */
  private judged(): ReadonlySet<number> {
    const { attempts, decisions } = this.job.state;
    return new Set([1, ...attempts.keys(), ...decisions.filter((d) => d.kind === 'requeued').map((d) => d.attempt)]);
  }
}

/** What follows from an approval goes ahead up to these. */
const ENDS_APPROVAL: ReadonlySet<string> = new Set([
  'restart-withdrawn',
  'requeued',
  'dead-lettered',
  'held-incomplete',
  'cancelled',
  'discarded',
  'resolved-by-hand',
]);

function signOf(fact: unknown): GradeSign {
  const type = (fact as { readonly type?: unknown } | undefined)?.type;
  return type === 'succeeded' || type === 'failed' ? type : 'sign';
}

const GOES_OUT: ReadonlySet<string> = new Set(['requeued', 'republished', 'stop-requested', 'dead-lettered', 'invalidation-requested']);

/** What is told of a job after its bodies were erased would bring them back. */
function erased(body: NewBody): NewBody {
  return { ...body, bytes: null };
}

/** What the newer beat does not say stays as the older one said it. */
function renewed(older: LeaseWrite, newer: LeaseWrite): LeaseWrite {
  return { ...older, ...newer, workerKey: newer.workerKey ?? older.workerKey, progress: newer.progress ?? older.progress };
}
