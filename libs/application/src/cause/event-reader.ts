import { parseContext, parseEvent, type ParsedFact, type ParsedWorkerHeartbeat } from '#libs/contracts';
import {
  badAttemptsOf,
  countedOf,
  emptyState,
  evolve,
  JOBWARDEN,
  OUTCOME_SLOT_MS,
  type BadAttempt,
  type CauseWindow,
  type JobEvent,
  type JobRef,
  type JobState,
  type WindowQueue,
} from '#libs/domain';
import { CellBook, revisionsIn } from './cell-book.js';
import { decisionEvent } from './decision-event.js';
import { LeaseWatch } from './lease-watch.js';
import { MOST_ATTEMPTS, type LaneEvent, type WindowScope } from './window-scope.js';
import { WorkerBook } from './worker-book.js';

/** Of an attempt that is under a lease and does not say for how long; the policy's default. */
const LEASE_MS = 30_000;

interface Job {
  readonly id: string;
  /** `namespace/queue`. */
  readonly queue: string;
  readonly state: JobState;
  /** One object per attempt, which is then its own key. */
  readonly runs: Map<number, Run>;
}

interface Run {
  readonly job: Job;
  readonly attempt: number;
}

/** Nothing is stored, so nothing is hashed. */
const CONTEXT = { ...parseContext({ hashKey: new Uint8Array(16) }), contentHash: () => NO_HASH };
const NO_HASH = Buffer.alloc(0);

/** Takes events in order of lane time, and lets time go by between them. */
export class EventReader {
  private readonly jobs = new Map<string, Job>();
  private readonly leases = new LeaseWatch<Run>();
  private readonly cells = new CellBook();
  private readonly workers = new WorkerBook();
  private readonly waiting = new Map<string, number>();

  take({ cloudEvent, laneMs }: LaneEvent): void {
    this.passTo(laneMs);
    const decision = decisionEvent(cloudEvent, laneMs);
    if (decision !== null) {
      const job = this.job(decision);
      const n = decision.decision.n ?? nextN(job.state);
      this.fold(job, { kind: 'decision', decision: { ...decision.decision, n } });
      return;
    }
    const parsed = parseEvent(cloudEvent, CONTEXT);
    if (!parsed.ok) return;
    if (parsed.kind === 'fact') this.fact(parsed, laneMs);
    else if (parsed.kind === 'worker-heartbeat') this.workerBeat(parsed, laneMs);
    else if (parsed.kind === 'heartbeat') this.beat(parsed.ref, parsed.heartbeat.attempt, laneMs, parsed.heartbeat.leaseMs ?? null);
    else if (parsed.state.waiting !== undefined) this.waiting.set(`${parsed.namespace}/${parsed.queue}`, parsed.state.waiting);
  }

  /** Time goes by: leases run out. */
  passTo(laneMs: number): void {
    for (const { key, endMs } of this.leases.expired(laneMs)) {
      const { job, attempt } = key;
      const decision = { kind: 'restart-requested', attempt, n: nextN(job.state), reason: 'lost', by: JOBWARDEN, laneMs: endMs } as const;
      this.fold(job, { kind: 'decision', decision });
    }
  }

  window({ fromMs, toMs, queues }: WindowScope, firstMs: number): CauseWindow {
    const from = fromMs - (fromMs % OUTCOME_SLOT_MS);
    const scope = new Set(queues ?? [...this.jobs.values()].map((j) => j.queue));
    const cells = this.cells.all().filter((c) => scope.has(c.queue));
    const attempts = this.attempts(scope, from, toMs);
    return {
      ...{ fromMs: from, toMs, cells },
      baselineFromMs: Math.min(from, firstMs),
      queues: this.depths(scope),
      revisions: revisionsIn(cells),
      attempts: attempts.slice(0, MOST_ATTEMPTS),
      attemptsLeftOut: attempts.length > MOST_ATTEMPTS,
      workers: this.workers.seen(from, scope),
    };
  }

  /** The newest first. */
  private attempts(scope: ReadonlySet<string>, fromMs: number, toMs: number): readonly BadAttempt[] {
    const found: BadAttempt[] = [];
    for (const { id, queue, state } of this.jobs.values()) {
      if (scope.has(queue) && !hasSucceeded(state)) found.push(...badAttemptsOf({ queue, job: id, state }, fromMs, toMs));
    }
    return found.sort((a, b) => b.endedMs - a.endedMs);
  }

  private depths(scope: ReadonlySet<string>): readonly WindowQueue[] {
    const open = new Map<string, number>();
    for (const { queue, state } of this.jobs.values()) {
      const waits = state.queued !== null && [...state.attempts.values()].every((a) => a.firstStartMs === null && a.outcome === null);
      if (waits) open.set(queue, (open.get(queue) ?? 0) + 1);
    }
    return [...scope].sort().map((queue) => ({ queue, waiting: this.waiting.get(queue) ?? open.get(queue) ?? 0 }));
  }

  private fact(parsed: ParsedFact, laneMs: number): void {
    const job = this.job(parsed.ref);
    const fact = { ...parsed.fact, laneMs };
    this.fold(job, { kind: 'fact', fact });
    if (fact.type === 'queued' || fact.type === 'cancelled') return;
    const run = runOf(job, fact.attempt);
    if (fact.type === 'started' || fact.type === 'claimed') {
      if (fact.leaseMs !== undefined) this.leases.beat(run, laneMs, fact.leaseMs, LEASE_MS);
      // Whoever runs it now has replaced those before.
      for (const before of job.runs.values()) if (before.attempt < fact.attempt) this.leases.over(before);
    } else if (fact.type !== 'lease-renewal-failed') this.leases.over(run);
  }

  private workerBeat(parsed: ParsedWorkerHeartbeat, laneMs: number): void {
    this.workers.beat(parsed, laneMs);
    for (const { ref, heartbeat } of parsed.beats) this.beat(ref, heartbeat.attempt, laneMs, heartbeat.leaseMs ?? null);
  }

  /** Of an attempt that runs: what has ended, or was never begun, is under no lease. */
  private beat(ref: JobRef, attempt: number, laneMs: number, leaseMs: number | null): void {
    const job = this.jobs.get(keyOf(ref));
    const known = job?.state.attempts.get(attempt);
    if (job === undefined || known === undefined || known.outcome !== null || hasSucceeded(job.state)) return;
    for (const later of job.state.attempts.keys()) if (later > attempt) return;
    this.leases.beat(runOf(job, attempt), laneMs, leaseMs ?? known.leaseMs, LEASE_MS);
  }

  private fold(job: Job, event: JobEvent): void {
    const known = event.kind === 'decision' && event.decision.reason === 'lost' && isLost(job.state, event.decision.attempt);
    evolve(job.state, event);
    const counted = countedOf(job.state, event);
    if (counted !== null && !known) this.cells.add(job.queue, job.state.queued?.kind ?? '', counted);
    if (event.kind === 'decision' && event.decision.kind === 'restart-requested') this.leases.over(runOf(job, event.decision.attempt));
  }

  private job(ref: JobRef): Job {
    const key = keyOf(ref);
    let job = this.jobs.get(key);
    if (job === undefined) {
      job = { id: ref.id, queue: `${ref.namespace}/${ref.queue}`, state: emptyState(), runs: new Map() };
      this.jobs.set(key, job);
    }
    return job;
  }
}

function keyOf({ namespace, queue, id }: JobRef): string {
  return `${namespace}\0${queue}\0${id}`;
}

function runOf(job: Job, attempt: number): Run {
  let run = job.runs.get(attempt);
  if (run === undefined) job.runs.set(attempt, (run = { job, attempt }));
  return run;
}

function nextN(state: JobState): number {
  return (state.decisions.at(-1)?.n ?? 0) + 1;
}

function hasSucceeded({ attempts }: JobState): boolean {
  for (const { succeeded } of attempts.values()) if (succeeded) return true;
  return false;
}

function isLost({ decisions }: JobState, attempt: number): boolean {
  return decisions.some((d) => d.kind === 'restart-requested' && d.reason === 'lost' && d.attempt === attempt);
}
