import { beatFact, type FactContext, type TapFact } from './facts.js';
import type { Run } from './run.js';
import type { Lock } from './translate.js';

/** Until the first lock of a queue was seen, ms. BullMQ's own default is 30,000. */
const FIRST_GUESS_MS = 1_000;
const SHORTEST_LOOK_MS = 50;

interface Seen {
  readonly run: Run;
  readonly starts: number;
  readonly lock: Lock;
  readonly atMs: number;
}

/**
 * Leases from locks. A lock that is there, with the token that its attempt began with, is a sign of life, and the lease
 * ends when the lock would. Looked at every third of the longest lock that was seen: a worker renews at half of it, so a
 * live one is never found with less than half, and a lease never runs out between two looks.
 *
 * What was read is said only after the stream has been read once more. A job can be put back and begin again between two
 * looks, under the same token where the same worker takes it, and its new life must not be taken for the old attempt's.
 */
export class LockWatch {
  private longestMs = 0;
  private pending: Seen[] = [];
  private ready: Seen[] = [];

  constructor(
    private readonly context: FactContext,
    private readonly held: { readonly active: ReadonlySet<Run> },
  ) {}

  /** Between two looks at one lock, ms. */
  get everyMs(): number {
    return this.longestMs === 0 ? FIRST_GUESS_MS : Math.max(SHORTEST_LOOK_MS, this.longestMs / 3);
  }

  /** Those whose time has come, the most overdue first; `most` bounds the work of one turn. */
  due(nowMs: number, most: number): Run[] {
    const due: Run[] = [];
    for (const run of this.held.active) if (run.lookMs <= nowMs) due.push(run);
    return due.length <= most ? due : due.sort((a, b) => a.lookMs - b.lookMs).slice(0, most);
  }

  /** What a look at these has found. */
  seen(looked: readonly Run[], locks: ReadonlyMap<string, Lock>, atMs: number): void {
    for (const lock of locks.values()) this.longestMs = Math.max(this.longestMs, lock.leftMs);
    for (const run of looked) {
      run.lookMs = atMs + this.everyMs;
      const lock = locks.get(run.nativeId);
      if (lock === undefined || (run.token !== null && run.token !== lock.token)) continue;
      this.pending.push({ run, starts: run.starts, lock, atMs });
    }
  }

  /** The stream is about to be read: what was seen until now may be said afterwards. */
  mature(): void {
    this.ready.push(...this.pending);
    this.pending = [];
  }

  /** What was seen before the stream was read last, of what still holds. */
  beats(nowMs: number): TapFact[] {
    const beats: TapFact[] = [];
    for (const { run, starts, lock, atMs } of this.ready) {
      const leaseMs = Math.round(lock.leftMs - (nowMs - atMs));
      if (!this.held.active.has(run) || run.starts !== starts || leaseMs < 1) continue;
      // Its start came too late for its lock: from now on this one is known.
      run.token ??= lock.token;
      beats.push(beatFact(this.context, run, leaseMs));
    }
    this.ready = [];
    return beats;
  }
}
