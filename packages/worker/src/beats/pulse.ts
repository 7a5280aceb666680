import { getHeapStatistics } from 'node:v8';
import type { LockWait, Runtime } from '@jobwarden/client';
import { PLACE_COUNT, PLACES, sharedNowMs, TICK_MS } from './shared.js';

/** What the process knows of itself. */
export interface Watched {
  /** undefined: no pool is watched. */
  pool(): { readonly inUse: number; readonly waiting: number } | undefined;
  locks(): readonly LockWait[];
}

/** The event loop's signs of life, and its figures, where any thread can read them. */
export class Pulse {
  readonly shared = new SharedArrayBuffer(PLACE_COUNT * BigInt64Array.BYTES_PER_ELEMENT);
  private readonly figures = new BigInt64Array(this.shared);
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly watched: Watched,
    private readonly ticked: () => void,
  ) {
    this.put('tickMs', sharedNowMs());
    this.measure();
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** For beats from the loop itself. */
  runtime(): Runtime {
    const pool = this.watched.pool();
    const locks = this.watched.locks();
    return {
      heapUsed: this.at('heapUsed'),
      heapLimit: this.at('heapLimit'),
      rss: process.memoryUsage.rss(),
      loopLagMs: Number(Atomics.exchange(this.figures, PLACES.lagMs, 0n)),
      ...(pool !== undefined && { poolInUse: pool.inUse, poolWaiting: pool.waiting }),
      ...(locks.length > 0 && { lockWaits: [...locks] }),
    };
  }

  /** When the thread has sent the last beat that was answered, by the shared clock; 0: there was none. */
  get renewedMs(): number {
    return this.at('renewedMs');
  }

  close(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const nowMs = sharedNowMs();
    const lagMs = Math.max(0, nowMs - this.at('tickMs') - TICK_MS);
    if (lagMs > this.at('lagMs')) this.put('lagMs', lagMs);
    this.put('tickMs', nowMs);
    this.measure();
    this.ticked();
  }

  private measure(): void {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const pool = this.watched.pool();
    this.put('heapUsed', used);
    this.put('heapLimit', limit);
    this.put('poolInUse', pool?.inUse ?? 0);
    this.put('poolWaiting', pool?.waiting ?? -1);
  }

  private at(place: keyof typeof PLACES): number {
    return Number(Atomics.load(this.figures, PLACES[place]));
  }

  private put(place: keyof typeof PLACES, value: number): void {
    Atomics.store(this.figures, PLACES[place], BigInt(Math.round(value)));
  }
}
