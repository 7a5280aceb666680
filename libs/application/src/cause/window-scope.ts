export interface LaneEvent {
  /** As it is sent, or, of a decision, as the contract shows it. */
  readonly cloudEvent: unknown;
  /** When it was taken in, ms. */
  readonly laneMs: number;
}

export interface WindowScope {
  /** `namespace/queue`. Default: all that the events name. */
  readonly queues?: readonly string[];
  /** Lane time, ms: [fromMs, toMs). What is older is what was usual; what is later is left out. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Attempts in a window at most, the newest. */
export const MOST_ATTEMPTS = 1_000;
