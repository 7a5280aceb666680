import { randomUUID } from 'node:crypto';
import type { ClaimResult, Worker } from '@jobwarden/client';
import { Attempt } from './attempt.js';
import { Begin, grantedBy } from './begin.js';
import { Gates } from './gates.js';
import { attemptKey, type BeatAnswer, type Beats } from './held.js';
import type { Granted } from './job-handle.js';
import { LoopBeats } from './loop-beats.js';
import { settingsOf, type Settings, type WorkerOptions } from './options.js';
import type { Handler, RunResult, RunSpec } from './spec.js';

/**
 * One process that runs jobs. Make one per process: it beats once for everything that it holds.
 *
 * Its timers and its thread keep no process alive.
 */
export interface JobWorker {
  readonly id: string;
  /** Runs one attempt under a lease, and tells Jobwarden what becomes of it. Rejects only where the service refuses the call itself (a token without the right, a name that is too long). */
  run<P = unknown, R = unknown>(spec: RunSpec, handler: Handler<P, R>): Promise<RunResult<R>>;
  /** Attempts that run now. */
  readonly running: number;
}

export function createWorker(options: WorkerOptions = {}): JobWorker {
  return new Running(settingsOf(options));
}

class Running implements JobWorker {
  private readonly attempts = new Map<string, Attempt>();
  private readonly worker: Worker;
  private readonly beats: Beats;
  private readonly beginning: Begin;

  constructor(private readonly settings: Settings) {
    const { id, revision, track, client, emitter, leaseMs } = settings;
    this.worker = { id, incarnation: randomUUID(), ...(revision !== undefined && { revision }), ...(track !== undefined && { track }) };
    this.beats = new LoopBeats({ emitter, worker: this.worker, leaseMs, runtime: () => ({}), listener: { answered: (answers) => this.answered(answers) } });
    this.beginning = new Begin({ settings, gates: new Gates(client), worker: this.worker, late: (granted, result) => this.late(granted, result) });
  }

  get id(): string {
    return this.settings.id;
  }

  get running(): number {
    return this.attempts.size;
  }

  async run<P, R>(spec: RunSpec, handler: Handler<P, R>): Promise<RunResult<R>> {
    const begun = await this.beginning.begin(spec);
    if (begun.kind !== 'begun') return begun;
    const { granted, claiming } = begun;
    const attempt = new Attempt({ settings: this.settings, beats: this.beats, worker: this.worker, spec, granted, claiming });
    this.attempts.set(attemptKey(attempt), attempt);
    try {
      return await attempt.run(handler);
    } finally {
      this.forget(attempt);
    }
  }

  private answered(answers: readonly BeatAnswer[]): void {
    for (const answer of answers) {
      if (answer.state !== 'go-on') this.attempts.get(attemptKey(answer))?.stop(answer.state);
    }
  }

  private late(granted: Granted, result: ClaimResult): void {
    const attempt = [...this.attempts.values()].find((running) => running.granted === granted);
    if (result.kind === 'refused') {
      attempt?.stop(result.code === 'finished' || result.code === 'retired' ? 'finished' : 'superseded', result.code);
      return;
    }
    if (attempt !== undefined) {
      this.forget(attempt);
      this.beats.letGo(attempt);
    }
    Object.assign(granted, grantedBy(result, granted));
    if (attempt === undefined) return;
    this.attempts.set(attemptKey(attempt), attempt);
    attempt.hold();
  }

  private forget(attempt: Attempt): void {
    const key = attemptKey(attempt);
    if (this.attempts.get(key) === attempt) this.attempts.delete(key);
  }
}
