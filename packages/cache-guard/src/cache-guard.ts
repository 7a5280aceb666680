import { TieredCache, type CacheOptions, type GetOptions } from './cache.js';
import type { Guard } from './guard.js';
import { beginGuarding, type GuardingOptions, type GuardingStats } from './guarding.js';
import type { Figures } from './tally.js';

/** Of the guard, and of the two levels behind it. */
export interface CacheGuardOptions extends CacheOptions, GuardingOptions {}

export interface CacheGuardStats extends Figures, GuardingStats {
  /** Current entries of the first level. */
  readonly size: number;
}

export interface CacheGuard {
  /**
   * The value, from the nearest level where it is current, else from `load`, which is stored unless it was overtaken. Values
   * are JSON in the second level; those of the first are shared by all callers, so do not change them. `undefined` is not
   * stored. @throws what `load` throws, and nothing of Redis or the source.
   */
  get<T>(key: string, load: () => Promise<T> | T, options?: GetOptions<T>): Promise<T>;
  /** Empties the first level of this process. */
  clear(): void;
  stats(): CacheGuardStats;
  /** For adapters. */
  readonly guard: Guard;
  /** Resolves when the source is heard for the first time. What is stored before is kept only if nothing was missed. */
  readonly ready: Promise<void>;
  /** Ends the reading. Idempotent. Redis and the client are the caller's to close. */
  close(): Promise<void>;
}

/** Starts to follow the source at once, in the background; it does not keep the process alive. */
export function createCacheGuard(options: CacheGuardOptions): CacheGuard {
  const guarding = beginGuarding(options, () => cache.clear());
  const { guard, shared, isSilent } = guarding;
  const cache = new TieredCache(guard, shared, { ...options, isSilent });
  return {
    get: (key, load, of) => cache.get(key, load, of),
    clear: () => cache.clear(),
    guard,
    ready: guarding.ready,
    stats: () => ({ ...cache.tally.figures(), ...guarding.stats(), size: cache.size() }),
    close: () => guarding.close(),
  };
}
