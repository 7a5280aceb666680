import type { InvalidationEvent } from '#libs/contracts';

/** Where results really stand: the database of the application whose jobs these are. */
export class Results {
  private readonly values = new Map<string, string>();

  set(key: string, value: string): void {
    this.values.set(key, value);
  }

  get(key: string): string {
    return this.values.get(key) ?? 'pending';
  }
}

/**
 * A cache in front of the results. It has no time to live: without an invalidation it would say "pending" for ever.
 * An invalidation may come twice, which is harmless.
 */
export class ResultCache {
  private readonly entries = new Map<string, string>();

  constructor(private readonly results: Results) {}

  /** From the cache; from the results, and into the cache, when it has nothing. */
  read(key: string): string {
    const value = this.entries.get(key) ?? this.results.get(key);
    this.entries.set(key, value);
    return value;
  }

  /** The keys that were held and are dropped. */
  invalidate({ keys }: InvalidationEvent['data']): string[] {
    return keys.filter((key) => this.entries.delete(key));
  }

  /** A stream that had to be reset may have missed something: nothing that is held can be trusted. */
  clear(): void {
    this.entries.clear();
  }
}
