import { Worker as Thread } from 'node:worker_threads';
import type { Client, LockWait, Logger, Worker } from '@jobwarden/client';
import { attemptKey, type BeatListener, type Beats, type Held } from './held.js';
import type { Address, FromThread, ThreadData, ToThread } from './messages.js';
import { TICK_MS } from './shared.js';

export interface ThreadBeatsParts {
  readonly client: Client;
  readonly namespace: string;
  readonly worker: Worker;
  readonly leaseMs: number;
  readonly maxBlockedMs: number;
  readonly shared: SharedArrayBuffer;
  readonly listener: BeatListener;
  readonly logger: Logger;
  /** What beats where the thread cannot be started, or has died. */
  readonly instead: () => Beats;
}

/** Beats from a thread of its own. */
export class ThreadBeats implements Beats {
  private readonly held = new Map<string, Held>();
  private readonly thread: Thread;
  private address: Address;
  private locks = '[]';
  private fallback: Beats | null = null;
  private closed = false;

  constructor(private readonly parts: ThreadBeatsParts) {
    const { client, namespace, worker, leaseMs, maxBlockedMs, shared } = parts;
    this.address = client.address('/v1/events');
    const data: ThreadData = { shared, address: this.address, namespace, worker, leaseMs, maxBlockedMs, tickMs: TICK_MS };
    // Beside this file, compiled as it is, or not.
    const file = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);
    this.thread = new Thread(file, { workerData: data, execArgv: [], name: 'jobwarden beats' });
    this.thread.on('message', (message: FromThread) => this.took(message));
    this.thread.on('error', (error) => this.died(error instanceof Error ? error.message : String(error)));
    this.thread.on('exit', (code) => this.died(`it ended with ${String(code)}`));
    // A process that has nothing else to do ends.
    this.thread.unref();
  }

  hold(held: Held, untilMs?: number): void {
    const key = attemptKey(held);
    this.held.set(key, held);
    if (this.fallback !== null) this.fallback.hold(held, untilMs);
    else this.tell({ kind: 'hold', key, held, untilMs: untilMs ?? 0 });
  }

  letGo(held: Pick<Held, 'queue' | 'id' | 'attempt'>): void {
    const key = attemptKey(held);
    this.held.delete(key);
    if (this.fallback !== null) this.fallback.letGo(held);
    else this.tell({ kind: 'let-go', key });
  }

  refresh(locks: readonly LockWait[]): void {
    const text = JSON.stringify(locks);
    if (text !== this.locks) this.tell({ kind: 'locks', waits: locks });
    this.locks = text;
    const address = this.parts.client.address('/v1/events');
    if (JSON.stringify(address) === JSON.stringify(this.address)) return;
    this.address = address;
    this.tell({ kind: 'address', address });
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.fallback?.close();
    await this.thread.terminate();
  }

  private tell(message: ToThread): void {
    try {
      this.thread.postMessage(message);
    } catch (error) {
      // Progress that cannot be cloned, such as a function: the beat matters more.
      if (message.kind !== 'hold') return;
      const held: Held = { ...message.held, progress: undefined };
      this.parts.logger.warn(`a progress of ${held.queue}/${held.id} cannot be sent: ${error instanceof Error ? error.message : String(error)}`);
      this.thread.postMessage({ ...message, held });
    }
  }

  private took(message: FromThread): void {
    if (message.kind === 'answered') this.parts.listener.answered(message.answers, message.sentMs);
    else this.parts.listener.failed(message.reason);
  }

  private died(reason: string): void {
    if (this.closed || this.fallback !== null) return;
    this.parts.logger.warn(`the thread that beats has died, so the event loop beats from now on: ${reason}`);
    this.fallback = this.parts.instead();
    for (const held of this.held.values()) this.fallback.hold(held);
  }
}

