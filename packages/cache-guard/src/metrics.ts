import { Counter, Gauge, register as globalRegister, type Registry } from 'prom-client';
import type { Figures } from './tally.js';

export interface CacheMetricsOptions {
  /** Default: prom-client's own. */
  readonly register?: Registry;
  /** The label `cache`, one for each cache of the process. Default `default`. */
  readonly name?: string;
}

/** `createCacheGuard` or `guardCacheManager`. */
export interface MeasuredCache {
  stats(): Figures & { readonly resets: number; readonly silentMs: number; readonly owed: number };
}

/** By register: the caches that are shown there. */
const shown = new WeakMap<Registry, Map<string, MeasuredCache>>();

/**
 * Shows a cache's figures as they stand when they are scraped:
 *
 *   jobwarden_cache_hits_total{cache,level}      `l1`, `l2`, or `shared`: waited for a load of somebody else
 *   jobwarden_cache_misses_total{cache}          loads; without those made while Redis was away
 *   jobwarden_cache_bypassed_total{cache}        loads made while Redis was away
 *   jobwarden_cache_fills_total{cache,outcome}   `stored`, or `refused`: an invalidation came first, or the store was away
 *   jobwarden_cache_flushes_total{cache}         everything was declared stale, since something may have been missed
 *   jobwarden_cache_lag_seconds{cache}           since it was last known that all invalidations had been read
 *   jobwarden_cache_owed{cache}                  invalidations read that Redis has not taken yet
 *
 * Under a name that is there already the newer cache takes the place of the older one.
 */
export function cacheMetrics(cache: MeasuredCache, { register = globalRegister, name = 'default' }: CacheMetricsOptions = {}): void {
  const caches = shown.get(register) ?? begin(register);
  caches.set(name, cache);
}

function begin(register: Registry): Map<string, MeasuredCache> {
  const caches = new Map<string, MeasuredCache>();
  shown.set(register, caches);
  type Stats = ReturnType<MeasuredCache['stats']>;
  type Shown = readonly (readonly [Readonly<Record<string, string>>, number])[];
  const add = (kind: typeof Counter | typeof Gauge, metric: string, help: string, labels: readonly string[], of: (stats: Stats) => Shown) => {
    new kind({
      name: metric,
      help,
      labelNames: ['cache', ...labels],
      registers: [register],
      collect() {
        this.reset();
        for (const [name, one] of caches) for (const [label, value] of of(one.stats())) this.inc({ cache: name, ...label }, value);
      },
    });
  };
  const plain = (of: (stats: Stats) => number) => (stats: Stats): Shown => [[{}, of(stats)]];
  add(Counter, 'jobwarden_cache_hits_total', 'Reads answered from the cache.', ['level'], ({ hits }) => Object.entries(hits).map(([level, n]) => [{ level }, n]));
  add(Counter, 'jobwarden_cache_misses_total', 'Loads.', [], plain(({ misses }) => misses));
  add(Counter, 'jobwarden_cache_bypassed_total', 'Loads while the shared store was away.', [], plain(({ bypassed }) => bypassed));
  add(Counter, 'jobwarden_cache_fills_total', 'Loads, by whether they were stored.', ['outcome'], ({ stored, overtaken }) => [
    [{ outcome: 'stored' }, stored],
    [{ outcome: 'refused' }, overtaken],
  ]);
  add(Counter, 'jobwarden_cache_flushes_total', 'Times that everything stored was declared stale.', [], plain(({ resets }) => resets));
  add(Gauge, 'jobwarden_cache_lag_seconds', 'Since all invalidations were last known to have been read.', [], plain(({ silentMs }) => silentMs / 1_000));
  add(Gauge, 'jobwarden_cache_owed', 'Invalidations that the shared store has not taken yet.', [], plain(({ owed }) => owed));
  return caches;
}
