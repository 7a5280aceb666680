import type { Emitter } from '../emitter.js';
import { BEAT_MS, cacheKey, QUEUE } from '../settings.js';
import type { Ticket } from '../ticket.js';
import { handle } from './handlers.js';
import type { FromWorker } from './messages.js';

/** Who runs it, as Jobwarden shows it. */
export interface WorkerName {
  readonly id: string;
  readonly incarnation: string;
}

/**
 * One attempt, as any worker would tell of it:
 *
 *   started ──► heartbeat … heartbeat ──► succeeded | failed
 *                  └─ answered "not yours any more", or a stop command ──► released
 *
 * Every answer of Jobwarden says whether to go on. A worker that obeys spares the others the grace period.
 */
export class Attempt {
  private readonly unwanted = new AbortController();
  private percent = 0;

  constructor(
    readonly ticket: Ticket,
    private readonly worker: WorkerName,
    private readonly emitter: Emitter,
    private readonly tell: (message: FromWorker) => void,
  ) {}

  /** The attempt is no longer wanted: stop, whatever it is doing. */
  stop(): void {
    this.unwanted.abort();
  }

  async run(): Promise<void> {
    const begun = Date.now();
    const started = await this.say('started');
    if (started?.outcome === 'refused') return;
    const beating = setInterval(() => void this.beat(), BEAT_MS);
    try {
      const value = await handle(this.ticket, { signal: this.unwanted.signal, progress: (percent) => this.progress(percent) });
      this.tell({ kind: 'stored', id: this.ticket.id, value });
      // What the result makes untrue: these keys go out as an invalidation.
      const invalidates = { keys: [cacheKey(this.ticket.id)] };
      await this.say('succeeded', { durationMs: Date.now() - begun, invalidates });
    } catch (error) {
      await this.ended(error, Date.now() - begun);
    } finally {
      clearInterval(beating);
    }
  }

  private async ended(error: unknown, durationMs: number): Promise<void> {
    if (this.unwanted.signal.aborted) {
      await this.say('released', { reason: 'asked to stop' });
      return;
    }
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    await this.say('failed', { durationMs, error: { class: name, message } });
  }

  private async beat(): Promise<void> {
    const answer = await this.say('heartbeat', { progress: { percent: this.percent } });
    if (answer?.state !== undefined && answer.state !== 'go-on') this.stop();
  }

  private progress(percent: number): void {
    this.percent = percent;
    if (percent === 50) this.tell({ kind: 'half-way', id: this.ticket.id });
  }

  private async say(fact: string, more: Readonly<Record<string, unknown>> = {}) {
    const { id, attempt, token } = this.ticket;
    const data = { queue: QUEUE, attempt, ...(token !== undefined && { token }), worker: this.worker, ...more };
    return await this.emitter.emit({ fact, jobId: id, data });
  }
}
