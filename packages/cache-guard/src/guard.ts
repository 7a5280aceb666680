import { setTimeout as delay } from 'node:timers/promises';
import { namesOf, positionName, type Invalidation, type LogPosition } from './invalidation.js';
import { Ledger, type Owed } from './ledger.js';
import type { SharedStore, Stamp } from './shared/shared-store.js';

export interface GuardOptions {
  readonly shared: SharedStore;
  /** See `InvalidationSource`. */
  readonly source: { readonly name: string; readonly ordered: boolean };
  /** Keys and tags that this replica remembers. Default 100,000, about 10 MB. */
  readonly maxMarks?: number;
  /** Invalidations that may wait for the shared store; beyond, all of it is declared stale instead. Default 10,000. */
  readonly maxOwed?: number;
  /** Between two tries to reach the shared store, ms. Default 200. */
  readonly retryMs?: number;
  /** Told of each failure of the shared store. Default: nobody. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

/** An invalidation with where the source stood at it. */
type Pending = Owed & { readonly id: string };

/**
 * Applies invalidations and says what is still true.
 *
 *   read ──► owed: at once, nothing of these names is current here ──► applied in the shared store ──► a mark: current is
 *                                                                                                      what began after it
 *   gap  ──► all owed: nothing is current ──► renewed in the shared store ──► current is what began after it
 *
 * Clocks: none; the order is that of the shared store's count. Failure: while the shared store is away, what is owed stays
 * so and is tried again; the source is read on. Not guaranteed: that a replica that has not read an invalidation yet does
 * not serve what it had; a caller who knows of one says so (`after`).
 */
export class Guard {
  private readonly ledger: Ledger;
  private readonly shared: SharedStore;
  private pending: Pending[] = [];
  private renewing = false;
  private resets = 0;
  private pumping: Promise<void> | null = null;
  private closed = false;
  private resetAt = '';

  constructor(private readonly options: GuardOptions) {
    this.shared = options.shared;
    this.ledger = new Ledger(options.source.ordered, options.maxMarks ?? 100_000);
  }

  /** Resolves once the shared store has applied it; from the call on nothing of it is current here. */
  async invalidate(invalidation: Invalidation, id: string): Promise<void> {
    const owed: Pending = { names: namesOf(invalidation), position: invalidation.position, id };
    this.ledger.owe(owed);
    this.pending.push(owed);
    if (this.pending.length > (this.options.maxOwed ?? 10_000)) await this.reset(id);
    else await this.pump();
  }

  /** Something may have been missed. Resolves once everything stored before is stale for all. */
  async reset(id: string): Promise<void> {
    this.resetAt = id;
    this.resets += 1;
    this.pending = [];
    this.ledger.oweAll();
    this.renewing = true;
    await this.pump();
  }

  /** A sign of life: keeps the position, unless something is owed. */
  async keepPosition(id: string): Promise<void> {
    if (this.owed > 0) return;
    const { epoch } = await this.shared.invalidate([], { source: this.options.source.name, id });
    this.ledger.learn(epoch);
  }

  /** Every stamp that a call of the shared store brings goes through here. */
  learn(stamp: Stamp): Stamp {
    this.ledger.learn(stamp.epoch);
    return stamp;
  }

  /**
   * @param after An invalidation that the caller knows of (`invalidation` of an enqueue command, or of a claim's answer):
   *   what was loaded before it is not current, also while this replica has not read it.
   */
  isCurrent({ stamp, names }: { readonly stamp: Stamp; readonly names: readonly string[] }, after?: LogPosition): boolean {
    if (!this.ledger.isCurrent(stamp, names)) return false;
    return after === undefined || this.ledger.hasReached(after) || (stamp.seen[after.shard] ?? -1) >= after.number;
  }

  /** Invalidations that the shared store has not applied yet. */
  get owed(): number {
    return this.pending.length + (this.renewing ? 1 : 0);
  }

  get resetCount(): number {
    return this.resets;
  }

  close(): void {
    this.closed = true;
  }

  private pump(): Promise<void> {
    this.pumping ??= this.settleAll();
    return this.pumping;
  }

  private async settleAll(): Promise<void> {
    while (this.owed > 0 && !this.closed) {
      try {
        await (this.renewing ? this.renew() : this.settle(this.pending.slice(0, 500)));
      } catch (error) {
        this.options.onError?.(error);
        await delay(this.options.retryMs ?? 200, undefined, { ref: false });
      }
    }
    // In the same tick as the look at what is owed: what comes next begins anew.
    this.pumping = null;
  }

  private async settle(batch: readonly Pending[]): Promise<void> {
    const ordered = (position: LogPosition) => (this.options.source.ordered ? position : null);
    const applied = batch.map(({ names, position }) => ({ id: positionName(position), names, ordered: ordered(position) }));
    const position = { source: this.options.source.name, id: batch.at(-1)?.id ?? '' };
    const { epoch, at } = await this.shared.invalidate(applied, position);
    this.ledger.learn(epoch);
    // Not those that a reset has taken away meanwhile.
    const done = new Set(batch);
    this.pending = this.pending.filter((owed) => !done.has(owed));
    if (!this.renewing) batch.forEach((owed, i) => this.ledger.settle(owed, at[i] ?? Infinity));
  }

  private async renew(): Promise<void> {
    const of = this.resets;
    const { epoch, at } = await this.shared.renew({ source: this.options.source.name, id: this.resetAt });
    this.ledger.learn(epoch);
    if (of !== this.resets) return;
    this.ledger.settleAll(at);
    this.renewing = false;
  }
}
