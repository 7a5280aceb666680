import { tagsOf } from '../cache.js';
import type { Guard } from '../guard.js';
import { keyName, tagName, type LogPosition } from '../invalidation.js';
import type { SharedStore, Stamp } from '../shared/shared-store.js';
import { Tally } from '../tally.js';
import { readEntry, writeEntry, type Envelope, type KeyvLike, type StoredEntry } from './stores.js';

export interface ManagedOptions {
  /** How long an entry lives where nobody says, ms. Default 60,000: cache-manager's own `ttl` is not seen from here. */
  readonly ttlMs?: number;
  /** The nearer stores forget after so long, ms; never later than the last one. Default `ttlMs`. */
  readonly l1TtlMs?: number;
}

export interface LoadOptions<T> {
  /** For this entry, ms. */
  readonly ttl?: number | ((value: T) => number) | undefined;
  /** With less than that left, ms, it is loaded anew in the background, and the old value answered. Default: never. */
  readonly refreshThreshold?: number | ((value: T) => number) | undefined;
  /** What the entry goes with, besides its key. */
  readonly tags?: readonly string[] | ((value: T) => readonly string[]);
  /** `invalidation` of the command or claim that led here: what was loaded before it is a miss. */
  readonly after?: LogPosition | undefined;
}

export interface ManagedParts {
  readonly guard: Guard;
  readonly shared: SharedStore;
  readonly isSilent: () => boolean;
}

type Loaded = { readonly value: unknown } & ({ readonly stamp: Stamp; readonly names: readonly string[] } | { readonly stamp: null });

/**
 * The stores of a cache-manager, nearest first, and the guard in front of them.
 *
 * A Keyv cannot look and store in one step, so what is stored carries the stamp of its load, and **every read looks at it**:
 * by what this replica has heard and, of the last store, by what any replica has brought to the shared count. A fill goes
 * to the last store first, is taken out again where it was overtaken, and only then comes nearer, for what is left of its
 * time. A refresh is a load like any other, with a stamp of its own, of all stores.
 */
export class ManagedCache {
  readonly tally = new Tally();
  private readonly loads = new Map<string, Promise<Loaded>>();
  private readonly ttlMs: number;

  constructor(
    private readonly stores: readonly KeyvLike[],
    private readonly parts: ManagedParts,
    private readonly options: ManagedOptions,
  ) {
    this.ttlMs = options.ttlMs ?? 60_000;
  }

  async wrap<T>(key: string, load: () => Promise<T> | T, options: LoadOptions<T>): Promise<T> {
    for (;;) {
      const found = await this.find(key, options.after);
      if (found !== null) {
        if (found.expiresAt - Date.now() < given(options.refreshThreshold, found.value as T, 0)) this.refresh(key, load, options);
        return found.value as T;
      }
      const running = this.loads.get(key);
      if (running === undefined) return (await this.lead(key, load, options)).value as T;
      // Whoever came after an invalidation must not get what a load before it brings.
      const loaded = await running.catch(() => null);
      if (loaded === null || loaded.stamp === null || !this.parts.guard.isCurrent(loaded, options.after)) continue;
      this.tally.hits.shared += 1;
      return loaded.value as T;
    }
  }

  /** The nearest entry that is current. */
  async find(key: string, after?: LogPosition): Promise<StoredEntry | null> {
    const { guard, shared, isSilent } = this.parts;
    const last = this.stores.length - 1;
    for (const [i, store] of this.stores.entries()) {
      if (i < last && isSilent()) continue;
      const entry = await readEntry(store, key);
      if (entry === null || !guard.isCurrent(entry, after)) continue;
      if (i === last && !(await shared.isCurrent(entry.names, entry.stamp).catch(() => false))) continue;
      await this.bringNearer(key, entry, i);
      // In the tick in which it is answered.
      if (!guard.isCurrent(entry, after)) continue;
      this.tally.hits[i === last ? 'l2' : 'l1'] += 1;
      return entry;
    }
    return null;
  }

  /** The stamp of a load that begins now; null: the shared store is away, and nothing may be stored. */
  async begin(): Promise<Stamp | null> {
    const { shared, guard } = this.parts;
    return await shared.read('').then(
      ({ stamp }) => guard.learn(stamp),
      () => null,
    );
  }

  /** False: it was overtaken, or could not be stored. */
  async fill(key: string, entry: Envelope, ttlMs: number): Promise<boolean> {
    const { guard, shared } = this.parts;
    const stored = { ...entry, expiresAt: Date.now() + ttlMs };
    const far = this.stores.at(-1);
    const kept =
      far !== undefined && ttlMs > 0 && guard.isCurrent(entry) && (await writeEntry(far, key, entry, ttlMs)) && (await this.stands(key, entry, far, shared));
    this.tally[kept ? 'stored' : 'overtaken'] += 1;
    if (kept) await this.bringNearer(key, stored, this.stores.length - 1);
    return kept;
  }

  private async stands(key: string, { names, stamp }: Envelope, far: KeyvLike, shared: SharedStore): Promise<boolean> {
    if (await shared.isCurrent(names, stamp).catch(() => false)) return true;
    await far.delete(key).catch(() => false);
    return false;
  }

  private async bringNearer(key: string, entry: StoredEntry, from: number): Promise<void> {
    for (const store of this.stores.slice(0, from).reverse()) {
      const leftMs = Math.min(entry.expiresAt - Date.now(), this.options.l1TtlMs ?? this.ttlMs);
      if (leftMs <= 0 || !this.parts.guard.isCurrent(entry)) return;
      await writeEntry(store, key, entry, leftMs);
    }
  }

  private refresh<T>(key: string, load: () => Promise<T> | T, options: LoadOptions<T>): void {
    // What it throws the next reader will see, once there is nothing to answer instead.
    if (!this.loads.has(key)) this.lead(key, load, options).catch(() => undefined);
  }

  private async lead<T>(key: string, load: () => Promise<T> | T, options: LoadOptions<T>): Promise<Loaded> {
    const loading = this.load(key, load, options);
    this.loads.set(key, loading);
    try {
      return await loading;
    } finally {
      this.loads.delete(key);
    }
  }

  private async load<T>(key: string, load: () => Promise<T> | T, options: LoadOptions<T>): Promise<Loaded> {
    const stamp = await this.begin();
    this.tally[stamp === null ? 'bypassed' : 'misses'] += 1;
    const value = await load();
    if (stamp === null) return { value, stamp };
    const names = namesOf(key, options, value);
    if (value !== undefined) await this.fill(key, { value, stamp, names }, given(options.ttl, value, this.ttlMs));
    return { value, stamp, names };
  }
}

export function namesOf<T>(key: string, { tags = [] }: Pick<LoadOptions<T>, 'tags'>, value: T): readonly string[] {
  return [keyName(key), ...tagsOf({ tags }, value).map(tagName)];
}

export function given<T>(of: number | ((value: T) => number) | undefined, value: T, otherwise: number): number {
  return (typeof of === 'function' ? of(value) : of) ?? otherwise;
}
