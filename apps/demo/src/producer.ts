import { setTimeout as delay } from 'node:timers/promises';
import type { Emitter } from './emitter.js';
import { cacheKey, PARCEL, PARCEL_EVERY_MS, QUEUE, TROUBLED } from './settings.js';
import type { WorkQueue } from './work-queue.js';

const EVERY_MS = 500;

/** What an application does: tells Jobwarden of a job, and puts it into its queue. */
export class Producer {
  produced = 0;

  constructor(
    private readonly emitter: Emitter,
    private readonly queue: WorkQueue,
    private readonly wake: () => void,
  ) {}

  /** Told first, queued afterwards: a worker must not be faster than the news. */
  async produce({ id, kind }: { readonly id: string; readonly kind: string }): Promise<void> {
    const invalidates = { keys: [cacheKey(id)] };
    await this.emitter.emit({ fact: 'queued', jobId: id, data: { queue: QUEUE, kind, payload: { id }, invalidates } });
    this.queue.add({ id, kind, attempt: 1 });
    this.wake();
  }

  async produceTroubles(): Promise<void> {
    await Promise.all(Object.values(TROUBLED).map((job) => this.produce(job)));
  }

  /** Ordinary jobs, so that the fleet has something to do besides. */
  async keepProducing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.produced += 1;
      await this.produce({ id: `email-${this.produced}`, kind: 'email' });
      await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A parcel now and then, whose worker will not survive it. Resolves when the signal is aborted. */
  async keepBreaking(signal: AbortSignal): Promise<void> {
    for (let n = 1; !signal.aborted; n += 1) {
      await this.produce({ id: `${PARCEL}-${String(n)}`, kind: PARCEL });
      await delay(PARCEL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
