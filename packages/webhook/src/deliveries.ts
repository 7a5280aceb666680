/**
 * What has been dealt with, so that a copy does nothing. Behind several processes put a store of your own in place, such as
 * a table or a Redis that they share. Any method may reject: the request is then refused, and comes again.
 */
export interface DeliveryStore {
  /**
   * `new`: the caller deals with it now, and says `done` or `failed`. `done`: it was dealt with. `busy`: another caller is at it;
   * a shared store has to let that pass after a while (a minute), since who was at it may have died.
   */
  begin(key: string): Promise<'new' | 'done' | 'busy'>;
  done(key: string): Promise<void>;
  /** The next copy is `new`. */
  failed(key: string): Promise<void>;
}

export interface MemoryDeliveriesOptions {
  /** Keys that are kept; the oldest go first. Some hundred bytes each. Default 10,000. */
  readonly maxEntries?: number;
  /** How long a key is kept, ms. Default an hour: Jobwarden tries for half of one. */
  readonly keepMs?: number;
  /** Default: the clock. */
  readonly now?: () => number;
}

/** Of one process, forgotten at its end. */
export function memoryDeliveries({ maxEntries = 10_000, keepMs = 3_600_000, now = Date.now }: MemoryDeliveriesOptions = {}): DeliveryStore {
  const busy = new Set<string>();
  /** When it was dealt with, oldest first. */
  const kept = new Map<string, number>();
  const trim = (): void => {
    for (const [key, atMs] of kept) {
      if (kept.size <= maxEntries && now() - atMs < keepMs) return;
      kept.delete(key);
    }
  };
  return {
    begin: (key) => {
      trim();
      const state = busy.has(key) ? 'busy' : kept.has(key) ? 'done' : 'new';
      if (state === 'new') busy.add(key);
      return Promise.resolve(state);
    },
    done: (key) => {
      busy.delete(key);
      kept.set(key, now());
      trim();
      return Promise.resolve();
    },
    failed: (key) => {
      busy.delete(key);
      return Promise.resolve();
    },
  };
}
