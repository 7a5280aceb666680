import type { Stamp } from '../shared/shared-store.js';

/** A Keyv, as far as it is needed here. */
export interface KeyvLike {
  get(key: string, options: { raw: true }): Promise<{ readonly value?: unknown; readonly expires?: number | undefined } | undefined>;
  set(key: string, value: unknown, ttlMs?: number): Promise<boolean>;
  delete(key: string): Promise<boolean>;
  clear(): Promise<void>;
}

/** What stands in a store: a value, and what it was loaded under. Anything else in it was put there past the guard. */
export interface Envelope {
  readonly value: unknown;
  readonly stamp: Stamp;
  /** The key's and those of the tags. */
  readonly names: readonly string[];
}

export interface StoredEntry extends Envelope {
  /** By the wall clock, as Keyv has it. */
  readonly expiresAt: number;
}

/** null: nothing, something that nobody can judge, or the store is away. */
export async function readEntry(store: KeyvLike, key: string): Promise<StoredEntry | null> {
  const found = await store.get(key, { raw: true }).catch(() => undefined);
  const { value, expires } = found ?? {};
  // Without an end it could outlive everything that is known of invalidations.
  return isEnvelope(value) && typeof expires === 'number' ? { ...value, expiresAt: expires } : null;
}

export async function writeEntry(store: KeyvLike, key: string, { value, stamp, names }: Envelope, ttlMs: number): Promise<boolean> {
  // A Keyv that fails answers false, or throws where it was told to.
  return await store.set(key, { value, stamp, names }, ttlMs).catch(() => false);
}

function isEnvelope(value: unknown): value is Envelope {
  const { stamp, names } = (value ?? {}) as Partial<Envelope>;
  return Array.isArray(names) && typeof stamp?.epoch === 'string' && typeof stamp.at === 'number';
}
