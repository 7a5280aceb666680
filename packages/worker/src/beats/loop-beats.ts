import type { Emitter, Runtime, Worker } from '@jobwarden/client';
import { answersOf, attemptKey, type AttemptRef, type BeatListener, type Beats, type Held } from './held.js';
import { sharedNowMs } from './shared.js';

export interface LoopBeatsParts {
  readonly emitter: Emitter;
  readonly worker: Worker;
  readonly leaseMs: number;
  readonly runtime: () => Runtime;
  readonly listener: BeatListener;
}

/** Beats from the event loop that runs the handlers, by whatever carries the facts: while the loop is blocked, nobody beats. */
export class LoopBeats implements Beats {
  private readonly held = new Map<string, Held>();
  private timer: NodeJS.Timeout | null = null;
  private everyMs = Infinity;

  constructor(private readonly parts: LoopBeatsParts) {
    this.plan(parts.leaseMs / 3);
  }

  hold(held: Held): void {
    this.held.set(attemptKey(held), held);
    // Only a shorter lease moves the next beat, or many short jobs would put it off for ever.
    if (held.leaseMs / 3 < this.everyMs) this.plan(held.leaseMs / 3);
  }

  letGo(held: AttemptRef): void {
    this.held.delete(attemptKey(held));
  }

  refresh(): void {
    // It asks for them with each beat.
  }

  close(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.everyMs = 0;
    return Promise.resolve();
  }

  private plan(everyMs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.everyMs = everyMs;
    this.timer = setTimeout(() => void this.beat(), everyMs).unref();
  }

  private async beat(): Promise<void> {
    this.plan([...this.held.values()].reduce((least, { leaseMs }) => Math.min(least, leaseMs), this.parts.leaseMs) / 3);
    const { emitter, worker, runtime, listener } = this.parts;
    const sentMs = sharedNowMs();
    const result = await emitter.ask({ type: 'worker-heartbeat', data: { worker, jobs: [...this.held.values()], runtime: runtime() } });
    if (result === null && emitter.stats().away) listener.failed('nobody answers');
    // Kafka takes it, and gives no answer.
    else listener.answered(answersOf(result), sentMs);
  }
}
