import { nextStep, type IncidentStep, type IncidentStepDraft } from '../incident/incident.js';
import type { SchemaAnswer } from '../rollout/choose-release.js';
import type { WorkloadSeen } from '../rollout/workload.js';
import { afterAct, type ActOutcome } from './after-act.js';
import { WRITES_WITHIN_MS } from './deadlines.js';
import { looksFor } from './looks-for.js';
import type { SagaAct } from './moves.js';
import { nextMove } from './next-move.js';
import { FakePool, type PoolWish } from './pool.fixture.js';
import type { RunPolicy } from './run-policy.js';
import { sagaOf } from './saga-of.js';
import type { EvidenceLook, LookFault, SagaSeen, SeenCause } from './seen.js';
import type { SagaStanding } from './standing.js';
import type { RunAbout } from './step-evidence.js';

export const ABOUT: RunAbout = {
  target: 'shop/workers',
  namespace: 'shop',
  queues: ['mails'],
  queueCount: 1,
  source: 'signal',
  revision: null,
  dryRun: false,
};

export const POLICY: RunPolicy = {
  levels: { throttle: 'act', rollback: 'act', deadLetter: 'act' },
  approval: false,
  scaleToZero: false,
  writesPerMinute: 6,
  watchMs: 60_000,
  onAbort: 'lift',
  readmit: { steps: [1, 10, 25, 50, 100], holdMs: 30_000, falls: 3, maxRatio: 0.1, minSample: 20 },
  targets: ['shop/workers'],
};

export const cause = (changes: Partial<SeenCause> = {}): SeenCause => ({
  cause: 'bad_revision',
  subject: 'v2',
  confidence: 0.97,
  selfSustained: false,
  action: 'rollback',
  evidence: [{ says: 'it fails since v2', figures: { failed: 41 } }],
  ...changes,
});

/** Where a process is killed: what it was about to do, or had just done. */
export type CrashPoint = 'before-record' | 'after-record' | 'before-act' | 'after-act' | 'after-telling';

/**
 * Everything that a run meets, in memory, with a clock of its own: three pods of `v2` that fail all they do, and `v1` to go
 * back to. Whoever is driven in it may be killed anywhere and only has the steps to go on by.
 */
export class RunWorld {
  nowMs = 1_000_000;
  steps: IncidentStep[] = [];
  actionsOn = true;
  signalStands = true;
  firstSeenMs: number | null = 900_000;
  assessed: SeenCause | null = cause();
  /** What the target is. */
  readonly pool = new FakePool();
  readonly refused = new Set<string>();
  refusedMs = 0;
  refusesAfterMs = 1_000;
  leasesUntilMs = 0;
  evidence: EvidenceLook = { outcome: 'not-asked', figures: {} };
  evidenceMs = 2_000;
  percent: number | null = null;
  deadLettered: string[] = [];
  healthy: readonly string[] = ['v1'];
  /** What the workers' databases say, asked anew at each look that asks them; how often that was. */
  databases: () => readonly SchemaAnswer[] = () => [];
  asked = 0;
  /** How often the target was looked at. */
  looked = 0;
  failRatio = 0;
  /** Attempts per second that end. */
  rate = 10;
  /** When each write to the cluster was tried. */
  readonly writes: number[] = [];
  readonly tries = new Map<number, number[]>();
  /** Asked before each look at the target and each act; an answer is what fails. */
  fault: (what: 'look' | SagaAct['does']) => LookFault | null = () => null;
  /** A write that fails may have been carried out all the same. */
  lostAnswers = false;
  policy: RunPolicy;

  constructor(about: Partial<RunAbout> = {}, policy: Partial<RunPolicy> = {}) {
    this.policy = { ...POLICY, ...policy };
    this.record({ type: 'opened', by: 'jobwarden', reason: 'mails is saturated', evidence: { ...ABOUT, ...about } });
  }

  get workload(): WorkloadSeen {
    return this.pool.seen;
  }

  set workload(seen: WorkloadSeen) {
    this.pool.seen = seen;
  }

  set lagMs(ms: number) {
    this.pool.lagMs = ms;
  }

  get types(): string[] {
    return this.steps.map((step) => step.type);
  }

  get standing(): SagaStanding {
    const standing = sagaOf(this.steps);
    if (standing === null) throw new Error('there is no run');
    return standing;
  }

  record(draft: IncidentStepDraft): void {
    const decision = nextStep(this.steps, draft, this.nowMs);
    if ('refused' in decision) throw new Error(`${draft.type} is refused: ${decision.refused}`);
    // Through the database and back.
    this.steps.push(JSON.parse(JSON.stringify(decision.step)) as IncidentStep);
  }

  /** A person's word. */
  says(type: 'approved' | 'aborted' | 'resolved', reason = 'because'): void {
    this.record({ type, by: 'operator:ada', reason });
  }

  /** Until nothing is done any more without a person, or `until`; the clock goes on while it waits. */
  run({ until = () => false, crash = () => false, forMs = 4 * 3_600_000 }: { until?: (world: RunWorld) => boolean; crash?: (at: CrashPoint) => boolean; forMs?: number } = {}): string {
    const endsMs = this.nowMs + forMs;
    for (let moves = 0; moves < 20_000; moves += 1) {
      if (until(this)) return 'reached';
      const s = this.standing;
      const move = nextMove(s, this.look(s), this.policy, this.nowMs);
      switch (move.kind) {
        case 'rest':
          return s.over ? 'over' : 'rest';
        case 'wait':
          if (this.nowMs >= endsMs) return `waits for ${move.what}`;
          this.pass(Math.max(1, move.untilMs - this.nowMs));
          break;
        case 'record':
          if (crash('before-record')) break;
          this.record(move.step);
          crash('after-record');
          break;
        case 'act':
          if (!crash('before-act')) this.act(s, move.act, move.n, crash);
      }
    }
    throw new Error('it goes round for ever');
  }

  /** What stands meanwhile changes by itself. */
  pass(ms: number): void {
    this.nowMs += ms;
    this.settle();
  }

  /** Somebody else writes. */
  written(by: string, wanted: PoolWish): void {
    this.pool.wish(wanted, by, this.nowMs);
  }

  private act(s: SagaStanding, act: SagaAct, n: number, crash: (at: CrashPoint) => boolean): void {
    this.tries.set(n, [...(this.tries.get(n) ?? []), this.nowMs]);
    if (act.does === 'write') this.writes.push(this.nowMs);
    const fault = this.fault(act.does);
    if (fault === null || this.lostAnswers) this.carryOut(act);
    if (crash('after-act')) return;
    const outcome: ActOutcome = fault === null ? { done: { changed: true, generation: this.workload.generation } } : { fault };
    const told = afterAct(s, act, outcome, this.nowMs);
    if (told !== null) this.record(told);
    crash('after-telling');
  }

  private carryOut(act: SagaAct): void {
    switch (act.does) {
      case 'set-share':
        this.percent = act.percent;
        return;
      case 'lift':
        this.percent = null;
        return;
      case 'quarantine':
        if (!this.refused.has(act.revision)) this.refusedMs = this.nowMs + this.refusesAfterMs;
        this.refused.add(act.revision);
        return;
      case 'capture-evidence':
        if (this.evidence.outcome === 'not-asked') this.evidence = { outcome: 'asked', figures: {} };
        return;
      case 'dead-letter':
        this.deadLettered.push(act.job);
        return;
      case 'write':
        this.pool.wish(act.wanted, 'jobwarden', this.nowMs);
    }
  }

  private settle(): void {
    if (this.evidence.outcome === 'asked' && this.evidenceMs > 0) this.evidence = { outcome: 'captured', figures: { bodies: 2 } };
    this.pool.settle(this.nowMs);
  }

  private look(s: SagaStanding): SagaSeen {
    const looks = looksFor(s);
    const tries = this.tries.get(s.intent?.n ?? 0) ?? [];
    const writes = this.writes.filter((atMs) => atMs > this.nowMs - WRITES_WITHIN_MS);
    const ended = looks.sampleSinceMs === null ? 0 : Math.max(0, Math.floor(((this.nowMs - looks.sampleSinceMs) / 1_000) * this.rate));
    const failed = Math.round(ended * this.failRatio);
    const fault = looks.target ? this.fault('look') : null;
    if (looks.target) this.looked += 1;
    if (looks.target && looks.databases) this.asked += 1;
    return {
      actionsOn: this.actionsOn,
      assessed: looks.cause && this.assessed !== null ? { assessment: this.assessed, firstSeenMs: this.firstSeenMs } : null,
      signalStands: looks.signal ? this.signalStands : null,
      target: !looks.target ? null : fault === null ? { seen: this.workload, facts: { bad: [...this.refused], healthy: this.healthy, schemaVersion: null, databases: looks.databases ? this.databases() : [] } } : { fault },
      quarantine: looks.quarantine
        ? { refusedEverywhere: this.refused.size > 0 && this.nowMs >= this.refusedMs, liveLeases: this.nowMs < this.leasesUntilMs && this.workload.pods.some((pod) => pod.revision === 'v2') ? 7 : 0 }
        : null,
      evidence: looks.evidence ? this.evidence : null,
      intake: looks.intake ? { queues: 1, percent: this.percent, throttled: this.percent === null ? 0 : 1, before: { open: 1 } } : null,
      sample: looks.sampleSinceMs === null ? null : { succeeded: ended - failed, failed },
      tries: { count: tries.length, lastMs: tries.at(-1) ?? null, writes: writes.length * 2, oldestWriteMs: writes[0] ?? null },
    };
  }
}

export const fails = (code: string, more: Partial<LookFault> = {}): LookFault => ({ code, detail: `it says ${code}`, retryAfterMs: null, ...more });
