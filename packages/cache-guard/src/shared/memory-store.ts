import { randomUUID } from 'node:crypto';
import type { AppliedInvalidation, FoundEntry, SharedEntry, SharedStore, SourcePosition, Stamp } from './shared-store.js';

export interface MemoryStoreOptions {
  /** Keys, tags and positions that it remembers. Default 100,000. */
  readonly maxMarks?: number;
  /** Keep entries too? Default false: a level of its own in the same process would hold everything twice. */
  readonly entries?: boolean;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

/** For a cache of one process: the count, and nothing that is shared. It is what `redisStore` does, without Redis. */
export function memoryStore({ maxMarks = 100_000, entries: keeps = false, now = () => performance.now() }: MemoryStoreOptions = {}): SharedStore {
  // Nobody else's: what another process has stored by its own count says nothing here.
  const epoch = randomUUID();
  const marks = new Map<string, number>();
  const seen = new Map<number, number>();
  const positions = new Map<string, string>();
  const entries = new Map<string, SharedEntry & { readonly until: number }>();
  let at = 0;
  let floor = 0;

  const stampNow = (): Stamp => ({ epoch, at, seen: Object.fromEntries(seen) });
  const current = (names: readonly string[], stamp: Stamp) =>
    stamp.epoch === epoch && stamp.at >= floor && names.every((name) => (marks.get(name) ?? 0) <= stamp.at);
  const mark = (name: string) => {
    marks.delete(name);
    marks.set(name, at);
  };
  const trim = () => {
    for (const [name, was] of marks) {
      if (marks.size <= maxMarks) return;
      marks.delete(name);
      if (!name.startsWith('p:')) floor = Math.max(floor, was);
    }
  };
  const find = (key: string): FoundEntry | null => {
    const entry = entries.get(key);
    if (entry !== undefined && entry.until > now() && current(entry.names, entry.stamp)) return { ...entry, leftMs: entry.until - now() };
    entries.delete(key);
    return null;
  };
  const apply = ({ id, names, ordered }: AppliedInvalidation): number => {
    const before = marks.get(id);
    if (ordered !== null) seen.set(ordered.shard, Math.max(ordered.number, seen.get(ordered.shard) ?? 0));
    if (before !== undefined) return before;
    at += 1;
    for (const name of [...names, id]) mark(name);
    return at;
  };
  const keep = (position: SourcePosition | null) => {
    if (position !== null) positions.set(position.source, position.id);
  };
  // Each step is taken when it is called; only its answer is awaited.
  return {
    read: (key) => Promise.resolve({ entry: find(key), stamp: stampNow() }),
    store: (key, entry, ttlMs) => {
      if (!current(entry.names, entry.stamp) || (find(key)?.stamp.at ?? 0) > entry.stamp.at) return Promise.resolve(false);
      if (keeps) entries.set(key, { ...entry, until: now() + ttlMs });
      return Promise.resolve(true);
    },
    isCurrent: (names, stamp) => Promise.resolve(current(names, stamp)),
    invalidate: (batch, position) => {
      const applied = batch.map(apply);
      trim();
      keep(position);
      return Promise.resolve({ epoch, at: applied });
    },
    renew: (position) => {
      floor = at += 1;
      marks.clear();
      seen.clear();
      keep(position);
      return Promise.resolve({ epoch, at });
    },
    position: (source) => Promise.resolve(positions.get(source) ?? null),
  };
}
