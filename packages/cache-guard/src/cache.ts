import type { Guard } from './guard.js';
import { keyName, tagName, type LogPosition } from './invalidation.js';
import { Level1, type LocalEntry } from './level1.js';
import type { SharedEntry, SharedStore, Stamp } from './shared/shared-store.js';
import { Tally } from './tally.js';

export interface CacheOptions {
  /** How long an entry lives, ms. Default 60,000. The bound of how stale it can be while Jobwarden is away. */
  readonly ttlMs?: number;
  /** The first level forgets after so long, ms; never later than the second. Default `ttlMs`. */
  readonly l1TtlMs?: number;
  /** Entries of the first level. Default 10,000. */
  readonly l1MaxEntries?: number;
  /** Milliseconds, monotonic. For tests. */
  readonly now?: () => number;
  /** The first level is passed by, and what it has is dropped. */
  readonly isSilent?: () => boolean;
}

export interface GetOptions<T> {
  /** What the entry goes with, besides its key: known before, or told by the value. Default: nothing. */
  readonly tags?: readonly string[] | ((value: T) => readonly string[]);
  /** For this entry, ms. */
  readonly ttlMs?: number;
  /** `invalidation` of the command or claim that led here: what was loaded before it is a miss. */
  readonly after?: LogPosition | undefined;
}

/** A value with what it was loaded under; no stamp: the shared store was away, and nobody may keep it. */
type Loaded = { readonly value: unknown } & ({ readonly stamp: Stamp; readonly names: readonly string[] } | { readonly stamp: null });

/**
 * Two levels, and a guard in front of what they hold.
 *
 *   get ──► L1, if current ──► L2, if current: into L1 ──► load ──► L2, unless overtaken ──► L1, unless overtaken
 *
 * The stamp is taken before the load begins, in the same step as the look into L2. What the load brings is stored only if
 * nothing of its key and tags was invalidated at a higher count, in either level: the second decides in one step, and the
 * first is written in the tick that has looked.
 */
export class TieredCache {
  readonly tally = new Tally();
  private readonly l1: Level1;
  private readonly loads = new Map<string, Promise<Loaded>>();
  private readonly ttlMs: number;

  constructor(
    private readonly guard: Guard,
    private readonly l2: SharedStore,
    private readonly options: CacheOptions = {},
  ) {
    this.ttlMs = options.ttlMs ?? 60_000;
    this.l1 = new Level1(options.l1MaxEntries ?? 10_000, options.now ?? (() => performance.now()));
  }

  async get<T>(key: string, load: () => Promise<T> | T, options: GetOptions<T> = {}): Promise<T> {
    for (;;) {
      if (this.options.isSilent?.() === true) this.l1.clear();
      const local = this.l1.get(key);
      if (local !== undefined && this.guard.isCurrent(local, options.after)) return this.hit('l1', local.value) as T;
      if (local !== undefined && !this.guard.isCurrent(local)) this.l1.delete(key);
      const running = this.loads.get(key);
      if (running === undefined) return (await this.lead(key, load, options)).value as T;
      // Whoever came after an invalidation must not get what a load before it brings.
      const loaded = await running.catch(() => null);
      if (loaded !== null && loaded.stamp !== null && this.guard.isCurrent(loaded, options.after)) return this.hit('shared', loaded.value) as T;
    }
  }

  /** Entries of the first level that are current. */
  size(): number {
    return this.l1.sweep((entry) => this.guard.isCurrent(entry));
  }

  /** Forgets the first level. */
  clear(): void {
    this.l1.clear();
  }

  private async lead<T>(key: string, load: () => Promise<T> | T, options: GetOptions<T>): Promise<Loaded> {
    const loading = this.fetch(key, load, options);
    this.loads.set(key, loading);
    try {
      return await loading;
    } finally {
      this.loads.delete(key);
    }
  }

  private async fetch<T>(key: string, load: () => Promise<T> | T, options: GetOptions<T>): Promise<Loaded> {
    const askedAt = this.l1.now();
    const found = await this.l2.read(key).catch(() => null);
    if (found === null) {
      this.tally.bypassed += 1;
      return { value: await load(), stamp: null };
    }
    const stamp = this.guard.learn(found.stamp);
    const entry = found.entry;
    if (entry !== null && this.guard.isCurrent(entry, options.after)) {
      const value: unknown = JSON.parse(entry.text);
      this.keep(key, { value, names: entry.names, stamp: entry.stamp, until: askedAt + entry.leftMs });
      return { value: this.hit('l2', value), names: entry.names, stamp: entry.stamp };
    }
    this.tally.misses += 1;
    const value = await load();
    const names = [keyName(key), ...tagsOf(options, value).map(tagName)];
    if (value !== undefined) await this.fill(key, value, { stamp, names, text: JSON.stringify(value) }, options.ttlMs ?? this.ttlMs);
    return { value, stamp, names };
  }

  private async fill(key: string, value: unknown, entry: SharedEntry, ttlMs: number): Promise<void> {
    const until = this.l1.now() + ttlMs;
    const stored = this.guard.isCurrent(entry) && (await this.l2.store(key, entry, ttlMs).catch(() => false));
    if (stored && this.keep(key, { value, names: entry.names, stamp: entry.stamp, until })) this.tally.stored += 1;
    else this.tally.overtaken += 1;
  }

  /** In the same tick as the look whether it is current. */
  private keep(key: string, entry: LocalEntry): boolean {
    if (!this.guard.isCurrent(entry)) return false;
    this.l1.set(key, { ...entry, until: Math.min(entry.until, this.l1.now() + (this.options.l1TtlMs ?? this.ttlMs)) });
    return true;
  }

  private hit(level: 'l1' | 'l2' | 'shared', value: unknown): unknown {
    this.tally.hits[level] += 1;
    return value;
  }
}

export function tagsOf<T>({ tags = [] }: GetOptions<T>, value: T): readonly string[] {
  return typeof tags === 'function' ? tags(value) : tags;
}
