import type { Pool } from './terrain.js';
import type { Run } from './run.js';

export type WorkerState = 'up' | 'draining' | 'gone';

/** One process of a pool. */
export class Worker {
  state: WorkerState = 'up';
  readonly runs = new Set<Run>();
  /** Left behind by what it has run, MB. */
  leakedMb = 0;
  connectionsInUse = 0;
  /** Connections that nothing gives back. */
  connectionsLeaked = 0;
  /** Each answers whether it still waits and took what became free. */
  readonly waitingForConnection: (() => boolean)[] = [];

  constructor(
    readonly pool: Pool,
    /** What it is, whatever it tells. */
    readonly revision: string,
    /** What its events say of it. */
    readonly told: { readonly id: string; readonly incarnation: string; readonly revision?: string; readonly track?: string },
    readonly clock: { readonly skewMs: number; readonly delayMs: number; readonly bornMs: number },
    readonly tellsRuntime: boolean,
  ) {}

  get skewMs(): number {
    return this.clock.skewMs;
  }

  get delayMs(): number {
    return this.clock.delayMs;
  }

  get leaseMs(): number {
    return this.pool.leaseMs;
  }

  get free(): boolean {
    return this.state === 'up' && this.runs.size < this.pool.concurrency;
  }

  heapMb(): number {
    let mb = this.pool.heapMb + this.leakedMb;
    for (const run of this.runs) mb += run.memoryMb;
    return mb;
  }
}
