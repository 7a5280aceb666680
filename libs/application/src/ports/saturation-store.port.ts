import type { SaturationStanding } from '#libs/domain';
import type { OutcomeStore, QueueName } from './outcome-store.port.js';
import type { SignalStore } from './signal-store.port.js';

/** How queues stand by the rule of saturation, kept between looks. */
export interface SaturationStore {
  /**
   * Of all replicas one looks at a time: `work` in a transaction in which no other looks, and all that it writes is kept
   * or nothing. null: another one looks, or has looked within `everyMs` (lane time). Throws RetryableError when the
   * database is away.
   */
  look<T>(everyMs: number, work: (look: SaturationLook) => Promise<T>): Promise<T | null>;
}

export interface SaturationLook extends Pick<OutcomeStore, 'rates'>, Pick<SignalStore, 'tell' | 'expire'> {
  /** Lane time, ms. */
  readonly nowMs: number;
  /** The queues that do not rest. */
  standing(): Promise<readonly StoredSaturation[]>;
  /** Jobs that wait for a worker, as the native queue says or by our own count; a queue of which nobody knows is left out. */
  unprocessed(queues: readonly QueueName[]): Promise<readonly (QueueName & { readonly waiting: number })[]>;
  /** Instead of what was kept. What rests is forgotten. */
  keep(standing: readonly (QueueName & { readonly standing: SaturationStanding })[]): Promise<void>;
  /** Whoever puts jobs into these queues tells of it: that none waits is then known, and no guess. */
  fed(queues: readonly QueueName[]): Promise<void>;
}

export interface StoredSaturation extends QueueName {
  readonly standing: SaturationStanding;
  /** Of the look that kept it, lane time ms. */
  readonly lookedMs: number;
}
