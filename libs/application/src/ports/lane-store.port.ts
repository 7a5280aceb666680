import type { Lane } from './log-store.port.js';

/**
 * Lanes that are read by position: partitions of a broker. The database's position is the one that counts; whoever
 * reads a partition moves it on by compare-and-set, so a reader that has lost its partition can write nothing.
 */
export interface LaneStore {
  /** Makes the rows that are not there yet, and answers all of them, in order. Idempotent. */
  open(wanted: readonly LaneWanted[]): Promise<readonly StoredLane[]>;
  /**
   * Moves lanes on, each by compare-and-set, in one statement. Answers the lanes that were not moved, since their
   * position is not the one seen: somebody else reads them.
   */
  advance(moves: readonly LaneMove[]): Promise<readonly Lane[]>;
  /**
   * Stops a lane, with the reason for people: nothing of it is read until an operator says where to go on. Verdicts
   * that it gates stay held. Only where it still stands as it was judged; false: it has been moved, and has to be judged anew.
   */
  stop(judged: StoredLane, why: string): Promise<boolean>;
  /** What a reader knows of the partition's end, for reports. By name, since lanes nobody reads have an end too. */
  told(ends: readonly LaneEnd[]): Promise<void>;
}

export interface LaneWanted {
  /** Such as `kafka/jobwarden.events/3`. */
  readonly name: string;
  /** Where a lane begins that is new. */
  readonly start: number;
  /** Which cluster it lies in: offsets of another one mean nothing. */
  readonly origin: string;
}

export interface StoredLane {
  readonly lane: Lane;
  readonly name: string;
  /** The position wanted next. */
  readonly next: number;
  /** Append time of the last record stored, ms; 0: none yet. */
  readonly readMs: number;
  /** As it was when the lane was made, or told anew by an operator. */
  readonly origin: string;
  /** An operator has said where to go on, and nothing has been read since: `next` and `readMs` do not belong together. */
  readonly sought: boolean;
  /** Why nothing of it is read, also when it was given up; null: it is read. */
  readonly stopped: string | null;
}

/** `next = seen` afterwards too: only the lock and the check, for a write that is followed by another. */
export interface LaneMove {
  readonly lane: Lane;
  readonly seen: number;
  readonly next: number;
  /** Lane time up to which everything has been read, ms; the manual clock's where there is one. Only ever rises. */
  readonly readMs: number;
  /** End of the last gap in what was read, ms; 0: none. Only ever rises; not kept with a manual clock. */
  readonly gapEndMs: number;
}

export interface LaneEnd {
  readonly name: string;
  /** The position that the next record will get. */
  readonly end: number;
}
