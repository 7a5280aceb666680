/** Keys that are counted by themselves in one slice. More than this often share a counter, and are over-counted. */
const CAPACITY = 128;
const SLICES = 6;

export interface HotKeysOptions {
  /** What `top` looks back on, ms. Default one minute. */
  readonly windowMs?: number;
  /** Keys kept at a time. Default 128. */
  readonly capacity?: number;
  /** Ms that never go back. */
  readonly now?: () => number;
}

/**
 * The busiest keys of the last while, in bounded space, however many keys there are: a space-saving sketch per slice of
 * the window. A key that is not kept takes the place of the least one and inherits its count, so a count is never too
 * low, and a key with more than a part of 1/capacity of all events is always among those that are kept.
 */
export class HotKeys {
  private readonly windowMs: number;
  private readonly capacity: number;
  private readonly now: () => number;
  private slices: { readonly fromMs: number; readonly counts: Map<string, number> }[] = [];

  constructor({ windowMs = 60_000, capacity = CAPACITY, now = () => performance.now() }: HotKeysOptions = {}) {
    this.windowMs = windowMs;
    this.capacity = capacity;
    this.now = now;
  }

  add(key: string, by = 1): void {
    const { counts } = this.current();
    const known = counts.get(key);
    if (known !== undefined || counts.size < this.capacity) {
      counts.set(key, (known ?? 0) + by);
      return;
    }
    const [least, count] = leastOf(counts);
    counts.delete(least);
    counts.set(key, count + by);
  }

  /** The `k` largest, largest first. */
  top(k: number): readonly (readonly [key: string, count: number])[] {
    const oldestMs = this.now() - this.windowMs;
    const sums = new Map<string, number>();
    for (const { fromMs, counts } of this.slices) {
      if (fromMs <= oldestMs) continue;
      for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count);
    }
    return [...sums].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, k);
  }

  private current(): { readonly counts: Map<string, number> } {
    const nowMs = this.now();
    const last = this.slices.at(-1);
    if (last !== undefined && nowMs - last.fromMs < this.windowMs / SLICES) return last;
    const slice = { fromMs: nowMs, counts: new Map<string, number>() };
    this.slices = [...this.slices.filter(({ fromMs }) => fromMs > nowMs - this.windowMs), slice];
    return slice;
  }
}

function leastOf(counts: ReadonlyMap<string, number>): readonly [string, number] {
  let least: readonly [string, number] = ['', Number.POSITIVE_INFINITY];
  for (const entry of counts) if (entry[1] < least[1]) least = entry;
  return least;
}
