import { connectionError, lockError, noiseError, outOfMemoryError, timeoutError } from '../draw/errors.js';
import type { JobError } from '../log/entry.js';
import type { Fleet } from './fleet.js';
import type { Fate, Job, Run } from './run.js';
import type { Worker } from './worker.js';

const BEAT_MS = 15_000;
/** Above it garbage collection takes most of the time. */
const CROWDED = 0.92;
const MB = 1_048_576;

/**
 * What an attempt goes through at its worker: a connection, its locks, the work, the services that it asks. At each of
 * them it may wait, fail, or die with its worker.
 */
export class Handler {
  constructor(private readonly fleet: Fleet) {}

  begin(job: Job, worker: Worker): void {
    const { fleet } = this;
    const run: Run = {
      job, worker, attempt: job.attempt, begunMs: fleet.nowMs, memoryMb: job.of.memoryMb,
      over: false, suspected: false, waitsFor: null, held: [],
    };
    worker.runs.add(run);
    job.begun = job.attempt;
    for (const trouble of fleet.troubles) {
      run.memoryMb += trouble.memory?.(run, fleet.nowMs) ?? 0;
      worker.leakedMb += trouble.leak?.(run, fleet.nowMs) ?? 0;
    }
    fleet.scribe.begun(run, fleet.queueOf(job.queue).claims);
    if (this.burst(run)) return;
    this.connect(run);
  }

  /** The run is given up, with all it holds. */
  drop(run: Run): void {
    run.over = true;
    this.fleet.locks.leave(run);
    for (const giveBack of run.held.splice(0)) giveBack();
  }

  /** Heartbeats of a worker, for as long as it lives. */
  beat(worker: Worker): void {
    const { fleet } = this;
    fleet.agenda.after(fleet.random.between(0, BEAT_MS), () => { this.beatAgain(worker); });
  }

  private beatAgain(worker: Worker): void {
    const { fleet } = this;
    if (worker.state === 'gone') return;
    fleet.scribe.heartbeat(worker, fleet.runsOf(worker), worker.tellsRuntime ? this.runtime(worker) : null);
    fleet.agenda.after(BEAT_MS * fleet.random.between(0.95, 1.05), () => { this.beatAgain(worker); });
  }

  private runtime(worker: Worker): Readonly<Record<string, unknown>> {
    const { random, nowMs, troubles } = this.fleet;
    // Garbage that has not been collected yet.
    const used = Math.min(worker.pool.heapLimitMb * 0.995, worker.heapMb() + worker.pool.heapMb * 0.2 * random.next());
    const lag = troubles.reduce((most, trouble) => Math.max(most, trouble.loopLagMs?.(worker, nowMs) ?? 0), 0);
    const crowded = worker.heapMb() > worker.pool.heapLimitMb * CROWDED;
    const lockWaits = [...worker.runs].flatMap(({ waitsFor }) => waitsFor === null || nowMs - waitsFor.sinceMs < 50
      ? []
      : [{ resource: waitsFor.resource, ...(waitsFor.holder !== null && { holder: waitsFor.holder }), waitedMs: Math.round(nowMs - waitsFor.sinceMs) }]);
    return {
      heapUsed: Math.round(used * MB),
      heapLimit: worker.pool.heapLimitMb * MB,
      rss: Math.round((used + 60) * MB),
      loopLagMs: Math.round(10 * (random.exponential(2) + lag + (crowded ? random.between(80, 400) : 0))) / 10,
      poolInUse: worker.connectionsInUse,
      poolWaiting: worker.waitingForConnection.length,
      lockWaits,
    };
  }

  private connect(run: Run): void {
    const { fleet } = this;
    if (!run.job.of.usesDatabase) {
      this.work(run);
      return;
    }
    fleet.connections.take(run, () => { this.lock(run, this.locksOf(run)); }, (why) => {
      this.fail(run, connectionError(fleet.random, fleet.terrain.dialect, why));
    });
  }

  private locksOf(run: Run): readonly string[] {
    const { fleet } = this;
    for (const trouble of fleet.troubles) {
      const keys = trouble.lockKeys?.(run, fleet.nowMs);
      if (keys != null) return keys;
    }
    return Array.from({ length: run.job.of.locks }, () => `orders:${String(fleet.random.int(1, 50_000))}`);
  }

  private lock(run: Run, keys: readonly string[], at = 0): void {
    const key = keys[at];
    const { fleet } = this;
    if (run.over) return;
    if (key === undefined || keys.indexOf(key) < at) {
      this.work(run);
      return;
    }
    const next = (): void => {
      // Between two locks there is some work.
      if (at + 1 < keys.length) fleet.agenda.after(fleet.random.between(2, 40), () => { this.lock(run, keys, at + 1); });
      else this.work(run);
    };
    fleet.locks.take(run, key, next, (why) => { this.fail(run, lockError(fleet.random, fleet.terrain.dialect, why, key)); });
  }

  private work(run: Run): void {
    if (run.over) return;
    const { fleet } = this;
    const { of } = run.job;
    let ms = fleet.random.logNormal(of.medianMs, of.sigma);
    for (const trouble of fleet.troubles) ms *= trouble.slowdown?.(run, fleet.nowMs) ?? 1;
    if (run.worker.heapMb() > run.worker.pool.heapLimitMb * CROWDED) ms *= 2.5;
    const fate = this.fateOf(run);
    if (fate?.ends === 'outlives-lease') {
      fleet.attempts.silentFrom(run, fleet.queueOf(run.job.queue), run.worker.leaseMs);
      fleet.agenda.after(run.worker.leaseMs + fate.byMs, () => { this.succeed(run); });
    } else if (fate !== null && ms * fate.at < of.timeoutMs) {
      fleet.agenda.after(ms * fate.at, () => { this.meet(run, fate); });
    } else if (ms > of.timeoutMs) {
      fleet.agenda.after(of.timeoutMs, () => { this.fail(run, timeoutError(fleet.random, fleet.terrain.dialect, of.timeoutMs)); });
    } else {
      fleet.agenda.after(ms, () => { this.call(run); });
    }
  }

  private fateOf(run: Run): Fate | null {
    const { fleet } = this;
    for (const trouble of fleet.troubles) {
      const fate = trouble.fate?.(run, fleet.nowMs);
      if (fate != null) return fate;
    }
    if (!fleet.random.chance(fleet.queueOf(run.job.queue).baseFailures)) return null;
    return { ends: 'failed', at: fleet.random.next(), error: noiseError(fleet.random, run.job) };
  }

  private meet(run: Run, fate: Exclude<Fate, { ends: 'outlives-lease' }>): void {
    if (run.over) return;
    if (fate.ends === 'failed') this.fail(run, fate.error);
    else this.fleet.kill(run.worker, this.restartMs());
  }

  private call(run: Run): void {
    if (run.over) return;
    const { services, agenda, random } = this.fleet;
    for (const host of run.job.of.calls) {
      const outage = services.outageOf(host);
      if (outage === undefined || !random.chance(outage.share)) continue;
      const { afterMs, error } = outage.answer();
      agenda.after(afterMs, () => { this.fail(run, error); });
      return;
    }
    this.succeed(run);
  }

  private succeed(run: Run): void {
    if (run.over) return;
    this.fleet.attempts.succeeded(run);
    this.leave(run);
  }

  private fail(run: Run, error: JobError): void {
    if (run.over) return;
    this.tellFailure(run, error);
    this.leave(run);
  }

  private tellFailure(run: Run, { code, ...told }: JobError): void {
    const { terrain, attempts } = this.fleet;
    const error = code !== undefined && terrain.telling.codes ? { ...told, code } : told;
    attempts.failed(run, this.fleet.queueOf(run.job.queue), error);
  }

  private leave(run: Run): void {
    const { fleet } = this;
    const { worker } = run;
    for (const trouble of fleet.troubles) {
      if (run.held.length > 0 && trouble.leaksConnection?.(run, fleet.nowMs) === true) fleet.connections.leak(run);
    }
    this.drop(run);
    worker.runs.delete(run);
    fleet.leaveIfDrained(worker);
    for (const queue of worker.pool.queues) fleet.dispatch(queue);
  }

  /** One job too many: the process dies, and half of the time the job that was too much says why. */
  private burst(run: Run): boolean {
    const { fleet } = this;
    if (run.worker.heapMb() <= run.worker.pool.heapLimitMb) return false;
    if (fleet.terrain.dialect % 2 === 0) {
      this.tellFailure(run, outOfMemoryError(fleet.random, fleet.terrain.dialect));
      this.drop(run);
      run.worker.runs.delete(run);
    }
    fleet.kill(run.worker, this.restartMs());
    return true;
  }

  private restartMs(): number {
    return this.fleet.random.between(3_000, 25_000);
  }
}
