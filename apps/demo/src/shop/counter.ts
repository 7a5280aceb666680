import { setTimeout as delay } from 'node:timers/promises';
import { QueueClosedError, type JobWorker } from '@jobwarden/worker';
import type { WorkQueue } from '../work-queue.js';

export interface Order {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
}

export interface CounterOptions {
  readonly queue: string;
  readonly work: WorkQueue;
  readonly worker: JobWorker;
  readonly wake: () => void;
  readonly signal: AbortSignal;
}

/** Where jobs of one queue are made: told to Jobwarden first, queued afterwards. While it throttles the queue, they wait here. */
export class Counter {
  constructor(private readonly options: CounterOptions) {}

  async take({ id, kind, payload }: Order): Promise<void> {
    const { queue, work, worker, wake, signal } = this.options;
    await worker.queued({ queue, id, kind, payload, signal });
    work.add({ id, kind, attempt: 1, payload });
    wake();
  }

  /** One after the other, so often, until the signal ends it. */
  async keepTaking(everyMs: number, next: (n: number) => Order): Promise<void> {
    const { signal } = this.options;
    for (let n = 1; !signal.aborted; n += 1) {
      await this.take(next(n)).catch((error: unknown) => {
        // Throttled for longer than anybody waits: this one is not made. Aborted: neither.
        if (!(error instanceof QueueClosedError) && !signal.aborted) throw error;
      });
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
