import type { AuditStore } from './audit-store.port.js';

/** Run times as the counters hold them, of all shards together. */
export interface QueueRunTimes {
  readonly namespace: string;
  readonly queue: string;
  /** Of all kinds: bucket → count, both halves (see `histogramOf`). */
  readonly all: ReadonlyMap<number, number>;
  /** By kind, those with the most runs; jobs without a kind are in `all` only. */
  readonly kinds: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

export interface RunTimePage {
  readonly queues: readonly QueueRunTimes[];
  /** Goes back with the next call; null: that was the last page. */
  readonly next: number | null;
}

/** What thresholds are learned from, and which jobs wait for one. Reads only. Errors: RetryableError. */
export interface LearnedStore {
  /** `limit` queues after `after` (0: the first), each with at most `kinds` kinds. */
  runTimes(request: { readonly after: number; readonly limit: number; readonly kinds: number }): Promise<RunTimePage>;
  /**
   * Jobs of the queues that wait for their run to have taken too long, by when that is: those alone, whatever else is
   * unfinished. The cursor is opaque.
   */
  readonly unfinished: AuditStore['unfinished'];
}
