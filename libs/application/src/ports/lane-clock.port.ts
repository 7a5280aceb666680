/**
 * How far the lanes have been read. A deadline that an unread event could clear counts only up to `readMs`.
 *
 * HTTP: each live replica says four times a second up to which lane time every request that reached it has been
 * appended or answered; the lane is read as far as the least of them. A replica that has not said anything for
 * {@link REPLICA_DEAD_AFTER_MS} is not live. After a time without any live replica (a gap) leases run again in full.
 */
export interface LaneClock {
  read(): Promise<LaneReading>;
  /** Tells at once what this replica has read, instead of with its next beat: for a look that somebody waits for. */
  refresh(): Promise<void>;
}

export interface LaneReading {
  /** Lane time now, ms. */
  readonly nowMs: number;
  /** Everything that arrived before it has been read, ms. */
  readonly readMs: number;
  readonly gapEndMs: number;
  readonly actionsEnabled: boolean;
  /** The lane that holds `readMs` back, by name. */
  readonly heldBy: string;
  readonly epoch: number;
}

export const REPLICA_DEAD_AFTER_MS = 5_000;
export const REPLICA_BEAT_EVERY_MS = 250;
