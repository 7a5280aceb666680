import type { SharedEntry } from './shared/shared-store.js';

export interface LocalEntry extends Omit<SharedEntry, 'text'> {
  readonly value: unknown;
  /** On the clock of the level. */
  readonly until: number;
}

/** The first level: a map that forgets what was used longest ago. */
export class Level1 {
  private readonly entries = new Map<string, LocalEntry>();

  constructor(
    private readonly maxEntries: number,
    /** Milliseconds, monotonic. */
    readonly now: () => number,
  ) {}

  get(key: string): LocalEntry | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    if (entry.until <= this.now()) return undefined;
    this.entries.set(key, entry);
    return entry;
  }

  set(key: string, entry: LocalEntry): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
    const oldest = this.entries.size > this.maxEntries ? this.entries.keys().next() : undefined;
    if (oldest?.done === false) this.entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  /** Drops what does not pass, and says how many are left. */
  sweep(passes: (entry: LocalEntry) => boolean): number {
    for (const [key, entry] of this.entries) if (entry.until <= this.now() || !passes(entry)) this.entries.delete(key);
    return this.entries.size;
  }

  clear(): void {
    this.entries.clear();
  }
}
