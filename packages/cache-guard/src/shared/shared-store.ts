import type { LogPosition } from '../invalidation.js';

/**
 * When a load began, by the store's own count of invalidations: the one clock of all replicas. What was invalidated at a
 * higher count has overtaken the load.
 */
export interface Stamp {
  /** Counts of two epochs are never compared: the store had lost what it knew in between. */
  readonly epoch: string;
  readonly at: number;
  /** By shard: how far invalidations had been read by then. */
  readonly seen: Readonly<Record<string, number>>;
}

export interface SharedEntry {
  readonly stamp: Stamp;
  /** The key's and those of the tags (`keyName`, `tagName`). */
  readonly names: readonly string[];
  /** JSON. */
  readonly text: string;
}

export interface FoundEntry extends SharedEntry {
  /** How long it still lives, ms. */
  readonly leftMs: number;
}

export interface AppliedInvalidation {
  /** `positionName`. One that is known is not applied again. */
  readonly id: string;
  readonly names: readonly string[];
  /** Where it stands, if all below it on its shard were read before it. */
  readonly ordered: LogPosition | null;
}

/** How far a source has been read, to go on from after a restart. */
export interface SourcePosition {
  readonly source: string;
  readonly id: string;
}

/**
 * What replicas share: entries, and the count at which each key and tag was last invalidated. Every call is one step.
 * Calls throw when it is away; each may be repeated.
 */
export interface SharedStore {
  /** The entry unless it is stale, and the stamp of a load that begins now. */
  read(key: string): Promise<{ readonly entry: FoundEntry | null; readonly stamp: Stamp }>;
  /** False, and nothing is stored: it was overtaken since its stamp, or what is there began later. */
  store(key: string, entry: SharedEntry, ttlMs: number): Promise<boolean>;
  /** Whether nothing of these names was invalidated since. */
  isCurrent(names: readonly string[], stamp: Stamp): Promise<boolean>;
  /** The counts at which they were applied, in their order. */
  invalidate(batch: readonly AppliedInvalidation[], position: SourcePosition | null): Promise<{ readonly epoch: string; readonly at: readonly number[] }>;
  /** Everything stored or begun so far is stale. */
  renew(position: SourcePosition | null): Promise<{ readonly epoch: string; readonly at: number }>;
  /** null: none is known. */
  position(source: string): Promise<string | null>;
}
