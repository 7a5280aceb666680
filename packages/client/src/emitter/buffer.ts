import type { EventResult } from '../contract.js';
import type { OutgoingEvent } from './fact.js';

/**
 * What goes first when there is no room: signs of life are worth nothing later, a start is implied by its end. `unheard` are
 * jobs and ends of which Jobwarden has not heard the begin: it does not miss them. The end of an attempt that it has seen
 * begin goes last: without it, what is done would be taken for lost, and run again.
 */
export type Worth = 'beat' | 'start' | 'unheard' | 'fact';
const FIRST_TO_GO = ['beat', 'start', 'unheard', 'fact'] as const satisfies readonly Worth[];

export interface Entry extends OutgoingEvent {
  readonly bytes: number;
  /** Of an end, until it is added: `fact`. */
  readonly worth: Worth;
  /** The first start of its job. */
  readonly begins: boolean;
  /** A newer entry with the same word takes its place. */
  readonly replaces: string | null;
  /** What became of it; null: it was dropped, or nobody answers. Called once at most. */
  readonly settle: ((result: EventResult | null) => void) | null;
}

export interface Bounds {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/**
 * What has not been acknowledged yet, in the order in which it was told, within a bound. What is under way stays in it,
 * so that a failure loses nothing, and is not dropped meanwhile.
 */
export class Buffer {
  private readonly entries = new Map<number, Entry>();
  private readonly byWorth: Readonly<Record<Worth, Set<number>>> = { beat: new Set(), start: new Set(), unheard: new Set(), fact: new Set() };
  private readonly newest = new Map<string, number>();
  private readonly byKey = new Map<string, Set<number>>();
  private readonly underWay = new Set<number>();
  /** Jobs whose first start has not been acknowledged, until their end is told. */
  private readonly begun = new Set<string>();
  private next = 0;
  private total = 0;

  constructor(private readonly bounds: Bounds) {}

  get size(): number {
    return this.entries.size;
  }

  get bytes(): number {
    return this.total;
  }

  /** Answers what had to go for it, the entry itself included where nothing else was worth less. */
  add(added: Entry): readonly Entry[] {
    const entry = this.judged(added);
    this.replace(entry);
    const number = this.next;
    this.next += 1;
    this.entries.set(number, entry);
    this.byWorth[entry.worth].add(number);
    if (entry.replaces !== null) this.newest.set(entry.replaces, number);
    const ofKey = this.byKey.get(entry.key);
    if (ofKey === undefined) this.byKey.set(entry.key, new Set([number]));
    else ofKey.add(number);
    this.total += entry.bytes;
    return this.makeRoom();
  }

  /** The oldest that fit into one request, at least one. They count as under way until `done` or `failed`. */
  take(atMost: Bounds): readonly number[] {
    return this.markUnderWay(this.free(this.entries.keys(), atMost));
  }

  /** The same of one job. Whoever asks about a job wants everything about it to be told before. */
  takeOf(key: string, atMost: Bounds): readonly number[] {
    return this.markUnderWay(this.free(this.byKey.get(key) ?? [], atMost));
  }

  at(number: number): Entry | undefined {
    return this.entries.get(number);
  }

  /** Of everything that is added from now on `hasBefore` knows nothing. */
  mark(): number {
    return this.next;
  }

  hasBefore(mark: number): boolean {
    const oldest = this.entries.keys().next();
    return oldest.done !== true && oldest.value < mark;
  }

  /** They have been dealt with. */
  done(numbers: readonly number[]): void {
    for (const number of numbers) {
      const entry = this.remove(number);
      if (entry?.begins === true) this.begun.delete(entry.key);
    }
  }

  /** They are to be sent again. */
  failed(numbers: readonly number[]): readonly Entry[] {
    for (const number of numbers) this.underWay.delete(number);
    return this.makeRoom();
  }

  private free(numbers: Iterable<number>, atMost: Bounds): readonly number[] {
    const found: number[] = [];
    let bytes = 2;
    for (const number of numbers) {
      const entry = this.entries.get(number);
      if (entry === undefined || this.underWay.has(number)) continue;
      bytes += entry.bytes + 1;
      if (found.length === atMost.maxEvents || (found.length > 0 && bytes > atMost.maxBytes)) break;
      found.push(number);
    }
    return found;
  }

  private markUnderWay(numbers: readonly number[]): readonly number[] {
    for (const number of numbers) this.underWay.add(number);
    return numbers;
  }

  private judged(entry: Entry): Entry {
    if (entry.begins) this.begun.add(entry.key);
    return entry.worth === 'fact' && this.begun.delete(entry.key) ? { ...entry, worth: 'unheard' } : entry;
  }

  private replace({ replaces }: Entry): void {
    const older = replaces === null ? undefined : this.newest.get(replaces);
    if (older === undefined || this.underWay.has(older)) return;
    this.entries.get(older)?.settle?.(null);
    this.remove(older);
  }

  private makeRoom(): readonly Entry[] {
    const dropped: Entry[] = [];
    while (this.entries.size > this.bounds.maxEvents || this.total > this.bounds.maxBytes) {
      const number = this.leastWorth();
      if (number === null) break;
      const entry = this.remove(number);
      if (entry === undefined) break;
      entry.settle?.(null);
      dropped.push(entry);
    }
    return dropped;
  }

  private leastWorth(): number | null {
    for (const worth of FIRST_TO_GO) {
      for (const number of this.byWorth[worth]) if (!this.underWay.has(number)) return number;
    }
    return null;
  }

  private remove(number: number): Entry | undefined {
    const entry = this.entries.get(number);
    if (entry === undefined) return undefined;
    this.entries.delete(number);
    this.underWay.delete(number);
    this.byWorth[entry.worth].delete(number);
    if (entry.replaces !== null && this.newest.get(entry.replaces) === number) this.newest.delete(entry.replaces);
    const ofKey = this.byKey.get(entry.key);
    ofKey?.delete(number);
    if (ofKey?.size === 0) this.byKey.delete(entry.key);
    this.total -= entry.bytes;
    return entry;
  }
}
