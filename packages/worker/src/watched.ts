import type { LockWait } from '@jobwarden/client';
import type { Watched } from './beats/pulse.js';

/** The part of a `pg.Pool` that is read. */
export interface PoolLike {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** The part of a `redlock` 5 that is wrapped. */
export interface LockLike {
  acquire: (resources: string[], ...more: never[]) => Promise<unknown>;
}

/** What of pools and locks the process waits for, to be told with each beat. */
export class WatchedWaits implements Watched {
  private readonly pools = new Set<PoolLike>();
  private readonly waits = new Set<{ readonly resource: string; readonly sinceMs: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  watchPool(pool: PoolLike): () => void {
    this.pools.add(pool);
    return () => void this.pools.delete(pool);
  }

  /** Every `acquire` of this instance, and so every `using`, is seen from now on. */
  watchLocks(locks: LockLike): () => void {
    const acquire = locks.acquire;
    const watched = async (resources: string[], ...more: never[]): Promise<unknown> => {
      const wait = { resource: resources.join(' '), sinceMs: this.now() };
      this.waits.add(wait);
      try {
        return await acquire.call(locks, resources, ...more);
      } finally {
        this.waits.delete(wait);
      }
    };
    locks.acquire = watched;
    return () => {
      if (locks.acquire === watched) locks.acquire = acquire;
    };
  }

  pool(): { readonly inUse: number; readonly waiting: number } | undefined {
    if (this.pools.size === 0) return undefined;
    let inUse = 0;
    let waiting = 0;
    for (const pool of this.pools) {
      inUse += pool.totalCount - pool.idleCount;
      waiting += pool.waitingCount;
    }
    return { inUse, waiting };
  }

  /** The longest first, at most 20. */
  locks(): readonly LockWait[] {
    const nowMs = this.now();
    return [...this.waits]
      .map(({ resource, sinceMs }) => ({ resource: cut(resource), waitedMs: Math.round(nowMs - sinceMs) }))
      .sort((a, b) => b.waitedMs - a.waitedMs)
      .slice(0, 20);
  }
}

/** The service takes names of at most 255 bytes; four of them at most make a character. */
function cut(name: string): string {
  return Buffer.byteLength(name) <= 255 ? name : name.slice(0, 63);
}
