import { positionName, type LogPosition } from './invalidation.js';
import type { Stamp } from './shared/shared-store.js';

/** An invalidation that this replica has read, and that the shared store has not applied yet. */
export interface Owed {
  readonly names: readonly string[];
  readonly position: LogPosition;
}

/**
 * What this replica knows of invalidations, by the shared store's count. Bounded: what it forgets counts as invalidated, so
 * that it may cost a hit and never lets something stale through.
 */
export class Ledger {
  private epoch: string | null = null;
  private readonly retired = new Set<string>();
  private readonly marks = new Map<string, number>();
  private readonly owed = new Map<string, Owed>();
  private readonly applied = new Set<string>();
  private readonly seen = new Map<number, number>();
  private floor = 0;
  private allOwed = false;

  constructor(
    private readonly ordered: boolean,
    private readonly maxMarks: number,
  ) {}

  /** Nothing of these names has been invalidated since, as far as this replica has read. */
  isCurrent({ epoch, at }: Stamp, names: readonly string[]): boolean {
    if (this.allOwed || epoch !== this.epoch || at < this.floor) return false;
    return names.every((name) => !this.owed.has(name) && (this.marks.get(name) ?? 0) <= at);
  }

  /** This replica has read that invalidation, and the shared store has applied it. */
  hasReached(position: LogPosition): boolean {
    return this.applied.has(positionName(position)) || (this.ordered && (this.seen.get(position.shard) ?? -1) >= position.number);
  }

  /** Every answer of the shared store names its epoch. A new one voids all counts, and never comes back. */
  learn(epoch: string): void {
    if (epoch === this.epoch || this.retired.has(epoch)) return;
    if (this.epoch !== null) this.retired.add(this.epoch);
    this.epoch = epoch;
    this.marks.clear();
    this.floor = 0;
  }

  owe(owed: Owed): void {
    for (const name of owed.names) this.owed.set(name, owed);
  }

  settle(owed: Owed, at: number): void {
    for (const name of owed.names) {
      if (this.owed.get(name) === owed) this.owed.delete(name);
      const mark = Math.max(at, this.marks.get(name) ?? 0);
      this.marks.delete(name);
      this.marks.set(name, mark);
    }
    for (const [name, mark] of this.marks) {
      if (this.marks.size <= this.maxMarks) break;
      this.marks.delete(name);
      this.floor = Math.max(this.floor, mark);
    }
    this.reach(owed.position);
  }

  /** Something may have been missed: nothing is current until the shared store says from which count on. */
  oweAll(): void {
    this.allOwed = true;
    for (const set of [this.owed, this.marks, this.applied, this.seen]) set.clear();
  }

  settleAll(at: number): void {
    this.floor = Math.max(this.floor, at);
    this.allOwed = false;
  }

  private reach(position: LogPosition): void {
    this.applied.add(positionName(position));
    const oldest = this.applied.size > this.maxMarks ? this.applied.values().next() : undefined;
    if (oldest?.done === false) this.applied.delete(oldest.value);
    this.seen.set(position.shard, Math.max(position.number, this.seen.get(position.shard) ?? 0));
  }
}
