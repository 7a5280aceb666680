import { randomUUID } from 'node:crypto';
import type { ClaimResult, EventResult, Worker } from '@jobwarden/client';
import { Attempt } from './attempt.js';
import { attemptKey, type AttemptRef, type BeatAnswers, type BeatListener, type Beats } from './beats/held.js';
import { LoopBeats } from './beats/loop-beats.js';
import { Pulse } from './beats/pulse.js';
import { ThreadBeats } from './beats/thread-beats.js';
import { Begin, grantedBy } from './begin.js';
import { drained, drainOnSignals } from './drain.js';
import { Evidence } from './evidence.js';
import { Gates } from './gates.js';
import { intake, type IntakeOptions } from './intake.js';
import type { Granted } from './job-handle.js';
import type { LateClaim } from './late-claim.js';
import { settingsOf, type Settings, type WorkerOptions } from './options.js';
import { RefusedRevision } from './refused-revision.js';
import { queued, type QueuedSpec } from './queued.js';
import type { Handler, RunResult, RunSpec } from './spec.js';
import { spanOf } from './span-of.js';
import { Stops } from './stops.js';
import { WatchedWaits, type LockLike, type PoolLike } from './watched.js';

/**
 * One process that runs jobs. Make one per process: it beats once for everything that it holds. Its timers and its thread
 * keep no process alive; `await drain()` before the end, or what is still buffered is lost.
 */
export interface JobWorker {
  readonly id: string;
  /**
   * Runs one attempt under a lease, and tells Jobwarden what becomes of it. The handler's errors are results. Rejects only
   * where the service refuses the call itself (a token without the right, a name that is too long): then nothing was run.
   */
  run<P = unknown, R = unknown>(spec: RunSpec, handler: Handler<P, R>): Promise<RunResult<R>>;
  /**
   * Tells that a job is put into its queue. Resolves to what became of the event, or to null when nobody answered (it is
   * kept, and sent later).
   * @throws QueueClosedError while the queue is paused or throttled; see `whenPaused`.
   */
  queued(spec: QueuedSpec): Promise<EventResult | null>;
  /**
   * For producers that put jobs into a queue by other means than {@link queued}: waits until `places` jobs may be put there.
   * @throws QueueClosedError while the queue is paused or throttled; see `whenPaused`, which is `delay` by default.
   */
  intake(queue: string, places: number, options?: IntakeOptions): Promise<void>;
  /**
   * Begins nothing more (`refused`, `draining`), lets what runs go on for `drainGraceMs`, then aborts it, and sends what is
   * buffered. After it the worker is over. Idempotent.
   */
  drain(): Promise<void>;
  /** Tells with each beat how many connections of a `pg.Pool` are in use and how many callers wait for one. What it answers takes that back. */
  watchPool(pool: PoolLike): () => void;
  /** Tells with each beat which locks of a `redlock` (5) are being waited for, and for how long. What it answers takes that back. */
  watchLocks(locks: LockLike): () => void;
  /** Queues in which this release is out of service now: `run` answers `revision_quarantined` there. */
  readonly refusedIn: readonly string[];
  /** Resolves once this release is not refused in the queue, at once where it is not, and when the worker drains. Never rejects. */
  admitted(queue: string): Promise<void>;
  /** Attempts that run now. */
  readonly running: number;
}

/** @throws RangeError that names every option that is wrong. */
export function createWorker(options: WorkerOptions = {}): JobWorker {
  return new Running(settingsOf(options));
}

class Running implements JobWorker, BeatListener {
  private readonly attempts = new Map<string, Attempt>();
  private readonly claims = new Set<LateClaim>();
  private readonly waits = new WatchedWaits();
  private readonly worker: Worker;
  private readonly pulse: Pulse;
  private readonly beats: Beats;
  private readonly gates: Gates;
  private readonly refused: RefusedRevision;
  private readonly evidence: Evidence;
  private readonly beginning: Begin;
  private readonly stops: Stops | null;
  private readonly ignoreSignals: () => void;
  private draining: Promise<void> | null = null;
  private emptied: (() => void)[] = [];

  constructor(private readonly settings: Settings) {
    const { id, revision, track, client, logger } = settings;
    this.worker = { id, incarnation: randomUUID(), ...(revision !== undefined && { revision }), ...(track !== undefined && { track }) };
    this.pulse = new Pulse(this.waits, () => this.ticked());
    this.beats = settings.thread ? this.threadBeats() : this.loopBeats();
    this.gates = new Gates(client);
    this.refused = new RefusedRevision({ client, revision, logger, changed: (queue, state) => this.revisionIs(queue, state) });
    this.evidence = new Evidence({ client, options: settings.evidence, logger });
    this.beginning = new Begin({ settings, gates: this.gates, refused: this.refused, worker: this.worker, late: (granted, result) => this.late(granted, result) });
    this.stops = settings.commands ? new Stops(client, (attempt, reason) => this.attempts.get(attemptKey(attempt))?.stop('stop', reason), logger) : null;
    this.ignoreSignals = drainOnSignals(settings.drainOn, () => this.drain());
  }

  get id(): string {
    return this.settings.id;
  }

  get running(): number {
    return this.attempts.size;
  }

  get refusedIn(): readonly string[] {
    return this.refused.queues;
  }

  admitted = (queue: string) => this.refused.admitted(queue);
  watchPool = (pool: PoolLike) => this.waits.watchPool(pool);
  watchLocks = (locks: LockLike) => this.waits.watchLocks(locks);

  async run<P, R>(spec: RunSpec, handler: Handler<P, R>): Promise<RunResult<R>> {
    if (this.draining !== null) return { kind: 'refused', code: 'draining' };
    const span = spanOf(spec, this.settings);
    const begun = await this.beginning.begin(spec, span?.trace);
    if (begun.kind !== 'begun') return begun;
    const { granted, claiming } = begun;
    if (claiming !== null) this.claims.add(claiming);
    const attempt = new Attempt({ settings: this.settings, beats: this.beats, worker: this.worker, spec, span, granted, claiming, renewedMs: () => this.pulse.renewedMs });
    this.attempts.set(attemptKey(attempt), attempt);
    const done = this.stops?.listen(spec.queue);
    try {
      return await attempt.run(handler);
    } finally {
      done?.();
      claiming?.afterwards(() => this.claims.delete(claiming));
      this.forget(attempt);
      if (this.attempts.size === 0) for (const tell of this.emptied.splice(0)) tell();
    }
  }

  async queued(spec: QueuedSpec): Promise<EventResult | null> {
    return await queued(spec, { emitter: this.settings.emitter, gates: this.gates });
  }

  async intake(queue: string, places: number, options: IntakeOptions = {}): Promise<void> {
    await intake(queue, places, options, this.gates);
  }

  async drain(): Promise<void> {
    this.draining ??= this.drainNow();
    await this.draining;
  }

  private async drainNow(): Promise<void> {
    const { emitter, ownEmitter, drainGraceMs } = this.settings;
    this.refused.close();
    await drained(() => this.attempts.values(), () => this.empty(), drainGraceMs);
    this.ignoreSignals();
    this.stops?.closeAll();
    for (const claim of this.claims) claim.close();
    await (ownEmitter ? emitter.close() : emitter.flush(5_000));
    this.pulse.close();
    await this.beats.close();
  }

  private async empty(): Promise<void> {
    if (this.attempts.size > 0) await new Promise<void>((resolve) => this.emptied.push(resolve));
  }

  answered({ jobs, refusedQueues, evidence }: BeatAnswers, sentMs: number): void {
    // Ends that wait belong to leases that begin to run again now.
    this.settings.emitter.wake();
    for (const attempt of this.attempts.values()) {
      attempt.renewedMs = Math.max(attempt.renewedMs, sentMs);
      attempt.renewalFailed = false;
    }
    if (evidence !== null) void this.evidence.send(evidence);
    for (const queue of refusedQueues) this.refused.note(queue);
    for (const answer of jobs) {
      if (answer.state !== 'go-on') this.attempts.get(attemptKey(answer))?.stop(answer.state);
    }
  }

  failed(reason: string): void {
    // Once for each stretch in which nobody answers: as evidence of life, for when somebody does again. The pulse looks at the leases.
    for (const attempt of this.attempts.values()) {
      if (attempt.renewalFailed) continue;
      attempt.renewalFailed = true;
      const { queue, id: jobId, attempt: n } = attempt;
      this.settings.emitter.tell({ type: 'lease-renewal-failed', queue, jobId, data: { attempt: n, worker: this.worker, reason: reason.slice(0, 500) } });
    }
  }

  private revisionIs(queue: string, state: 'refused' | 'admitted'): void {
    const { whenRefused, onRevision, logger } = this.settings;
    if (state === 'refused' && whenRefused === 'stop') {
      for (const attempt of this.attempts.values()) if (attempt.queue === queue) attempt.stop('revision-quarantined');
    }
    try {
      onRevision?.(queue, state);
    } catch (error) {
      logger.warn(`onRevision has thrown: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private ticked(): void {
    this.beats.refresh(this.waits.locks());
    for (const attempt of this.attempts.values()) attempt.look();
  }

  private threadBeats(): Beats {
    const { client, emitter, leaseMs, maxBlockedMs, logger } = this.settings;
    const { worker, pulse } = this;
    const parts = { client, worker, leaseMs, maxBlockedMs, logger, namespace: emitter.namespace, shared: pulse.shared, listener: this };
    return new ThreadBeats({ ...parts, instead: () => this.loopBeats() });
  }

  private loopBeats(): Beats {
    const { emitter, leaseMs } = this.settings;
    return new LoopBeats({ emitter, leaseMs, worker: this.worker, runtime: () => this.pulse.runtime(), listener: this });
  }

  private late(granted: Granted, result: ClaimResult): void {
    const attempt = [...this.attempts.values()].find((running) => running.granted === granted);
    if (result.kind === 'refused') {
      if (result.code === 'revision_quarantined' && attempt !== undefined) this.refused.note(attempt.queue);
      attempt?.stop(result.code === 'finished' || result.code === 'retired' ? 'finished' : 'superseded', result.code);
      return;
    }
    if (attempt !== undefined) this.forget(attempt);
    Object.assign(granted, grantedBy(result, granted));
    if (attempt === undefined) return;
    this.attempts.set(attemptKey(attempt), attempt);
    attempt.claimed();
  }

  private forget(attempt: AttemptRef): void {
    const key = attemptKey(attempt);
    this.beats.letGo(attempt);
    if (this.attempts.get(key) === attempt) this.attempts.delete(key);
  }
}
