import type { LaneMove, StoredLane } from '../ports/lane-store.port.js';

/** As long a silence in a partition says that nothing could arrive: ticks come four times a second. */
export const QUIET_GAP_MS = 5_000;

/**
 * Where the reader of one lane stands: what the database has of it, and how much further it has read. Between the two
 * lie only ticks, whose move is not worth a transaction of its own.
 */
export class LaneCursor {
  private storedNext: number;
  private readNext: number;
  private readMs: number;
  private gapEndMs = 0;
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  /** Somebody else reads the lane by now. */
  lost = false;

  constructor(readonly stored: StoredLane) {
    this.storedNext = stored.next;
    this.readNext = stored.next;
    this.readMs = stored.readMs;
  }

  get next(): number {
    return this.readNext;
  }

  /** There is something read that the database does not know of. */
  get ahead(): boolean {
    return this.readNext > this.storedNext;
  }

  /** A move of it is under way, or will be. */
  get busy(): boolean {
    return this.waiting > 0;
  }

  /** Moves of one lane follow each other: each is a compare-and-set on the one before. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    this.waiting += 1;
    const run = this.tail.then(work).finally(() => (this.waiting -= 1));
    this.tail = run.catch(() => undefined);
    return await run;
  }

  /**
   * The move that stores everything read, and records up to `next` besides. `unsureMs`: until then nobody may have been
   * heard, though there were records.
   */
  moveTo(next: number, timesMs: readonly number[], unsureMs = 0): LaneMove {
    let [readMs, gapEndMs] = [this.readMs, Math.max(this.gapEndMs, unsureMs)];
    for (const ms of timesMs) {
      // Clocks of two brokers may differ: time never runs back here.
      if (readMs > 0 && ms - readMs > QUIET_GAP_MS) gapEndMs = Math.max(gapEndMs, ms);
      if (ms > readMs) readMs = ms;
    }
    return { lane: this.stored.lane, seen: this.storedNext, next, readMs, gapEndMs };
  }

  /** Read, and not stored yet: ticks. */
  passed({ next, readMs, gapEndMs }: LaneMove): void {
    this.readNext = next;
    this.readMs = readMs;
    this.gapEndMs = gapEndMs;
  }

  /** The database knows of it. */
  moved(move: LaneMove): void {
    if (move.next > this.readNext) this.passed(move);
    this.storedNext = move.next;
  }
}
