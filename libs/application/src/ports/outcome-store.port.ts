import type { OutcomeCounts } from '#libs/domain';

/**
 * How often what was heard of, per queue and per whose revision: rates of the last minutes, and of the hours before them.
 * Counted as the events are taken in, each once, in lane time; nothing of it is read back from the log.
 */
export interface OutcomeStore {
  /** Lane time now, ms: the database's clock, or the manual one. */
  nowMs(): Promise<number>;
  /**
   * Counts in [sinceMs, untilMs), of queues in which anything was counted; sorted by namespace and queue. A stretch of 10 s
   * belongs to where it begins, and so do those of 5 minutes that are left of what is older than an hour. Nothing is left
   * after 48 hours.
   */
  rates(query: RatesQuery): Promise<readonly QueueRates[]>;
}

export interface RatesQuery {
  /** Lane time, ms. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Default: all queues. */
  readonly queues?: readonly QueueName[];
}

export interface QueueName {
  readonly namespace: string;
  readonly queue: string;
}

export interface QueueRates extends QueueName {
  readonly counts: OutcomeCounts;
  /** The same counts by who did it, the newest first. */
  readonly revisions: readonly RevisionRates[];
}

export interface RevisionRates {
  /** As workers report it; empty: none was named (what is queued is by nobody); `other`: more than are told apart. */
  readonly revision: string;
  /** `canary`, `stable` …, as workers report it; empty: none. */
  readonly track: string;
  readonly counts: OutcomeCounts;
  /** Where the first and the last stretch of the query in which it was heard of begin, lane time ms. */
  readonly firstMs: number;
  readonly lastMs: number;
}
