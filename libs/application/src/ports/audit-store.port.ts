import type { Contribution, JobRef, JobStatus } from '#libs/domain';
import type { EventRecord } from '../log/event-record.js';

/**
 * The log and its projection side by side, for whoever refolds and compares.
 *
 * Reading is done in snapshots: a row and its log are written in one transaction, so within one snapshot they agree,
 * whatever writers do meanwhile. Rewriting is done under the rows' locks, in the writers' own order of steps. Nothing
 * below the retention line is read or written.
 * Errors: RetryableError when the database is away or the pool exhausted.
 */
export interface AuditStore {
  readonly shards: number;
  /** Rows there are, counted up to `limit`. */
  countRows(limit: number): Promise<number>;
  /** The version that refolded rows get. Throws TerminalError `fold_version` for one that this program does not know. */
  foldVersionInForce(): Promise<number>;
  /** The newest fold version that any row carries; 0 without rows. */
  newestFoldVersion(): Promise<number>;
  /** Rows of the range, then their log, in one snapshot. Answers the last key read, null at the end. */
  slice(range: KeyRange, sink: SliceSink): Promise<string | null>;
  /**
   * The same under the rows' locks: what `begin()` answers is filled, then asked for rewrites, which are written with
   * the counters' differences in that transaction. Repeated from `begin` after a deadlock.
   */
  rewrite(range: KeyRange, begin: () => Refolding): Promise<Rewritten>;
  /**
   * Every row of the shards in one snapshot, with what the counters say in it. What `settle` answers is added to the
   * counters; with `exclusive` no other settling runs meanwhile, so that nothing is corrected twice.
   */
  balance(request: BalanceRequest): Promise<void>;
  /** Numbers of one shard's log against its counter, in one snapshot. */
  positions(shard: number, onRead?: (share: number) => void): Promise<PositionCheck>;
  /** Unfinished rows that do not rest on a would-have, by key. */
  unfinished(request: UnfinishedRequest): Promise<UnfinishedPage>;
}

/** Keys are hashes: ranges of them are fair samples, and the share of the key space passed is the share of the work. */
export type KeyRange = { readonly after: string | null; readonly limit: number } | { readonly only: string };

export interface AuditedRow {
  readonly keyHex: string;
  readonly ref: JobRef;
  readonly queueId: number;
  readonly shard: number;
  readonly period: number;
  readonly kind: string | null;
  readonly status: string;
  readonly attempt: number;
  readonly n: number;
  /** 0: made by a writer that then had nothing to write; counts for nothing. */
  readonly version: number;
  readonly foldVersion: number;
  readonly sinceMs: number;
  readonly worker: string | null;
  readonly state: string;
}

export interface AuditedEvent extends EventRecord {
  readonly shard: number;
  readonly period: number;
}

export interface SliceSink {
  row(row: AuditedRow): void;
  /** After all rows. Also entries whose key lies in the range and has no row. */
  event(keyHex: string, event: AuditedEvent): void;
}

export interface Refolding extends SliceSink {
  rewrites(): readonly RowRewrite[];
}

/** A row as its log says it is. */
export interface RowRewrite {
  readonly row: AuditedRow;
  readonly state: string;
  readonly foldVersion: number;
  readonly kind: string | null;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly n: number;
  readonly sinceMs: number;
  readonly worker: string | null;
  /** Of the stored row, null where it counted for nothing or cannot be read. */
  readonly before: Contribution | null;
  readonly after: Contribution;
  /** The standing changed: to be looked at at once, and planned by whoever knows the policies. */
  readonly lookNow: boolean;
  /** Recorded as a drift. */
  readonly drift: boolean;
}

export interface Rewritten {
  readonly rows: number;
  readonly last: string | null;
}

/** A counter of `queue_counters`: jobs by status, or a sum over attempts. */
export const SUMMED_COUNTERS = [
  'attempts-succeeded',
  'attempts-failed',
  'attempts-lost',
  'retries',
  'dead-letters',
  'anomalies',
] as const;
export type SummedCounter = (typeof SUMMED_COUNTERS)[number];
export type CounterName = JobStatus | SummedCounter;

export interface CounterCell {
  readonly queueId: number;
  readonly shard: number;
  readonly counter: CounterName;
  readonly count: number;
}

export interface RunTimeCell {
  readonly queueId: number;
  readonly shard: number;
  readonly kind: string;
  readonly bucket: number;
  readonly count: number;
}

export interface CountedRow {
  readonly queueId: number;
  readonly shard: number;
  readonly state: string;
}

export interface StoredSums {
  readonly counters: readonly CounterCell[];
  readonly runTimes: readonly RunTimeCell[];
  /** Jobs below the retention line by the status they ended in: still counted, no longer there. */
  readonly retired: readonly CounterCell[];
  readonly queues: ReadonlyMap<number, { readonly namespace: string; readonly queue: string }>;
}

/** Differences to add. Writers only ever add too, so a difference found in a snapshot stays right after it. */
export interface Corrections {
  readonly counters: readonly CounterCell[];
  readonly runTimes: readonly RunTimeCell[];
}

export interface BalanceRequest {
  readonly shards: readonly number[];
  readonly row: (row: CountedRow) => void;
  readonly settle: (stored: StoredSums) => Corrections | null;
  readonly exclusive: boolean;
}

export interface PositionCheck {
  readonly shard: number;
  /** The counter: the last number given out. */
  readonly counter: number;
  readonly entries: number;
  readonly duplicates: number;
  readonly beyond: number;
  /** Numbers without an entry; null once periods have been dropped, as those took theirs with them. */
  readonly missing: number | null;
}

export interface UnfinishedRequest {
  readonly queues: readonly { readonly namespace: string; readonly queue: string }[] | 'all';
  readonly after: string | null;
  readonly limit: number;
}

export interface UnfinishedPage {
  readonly rows: readonly UnfinishedRow[];
  /** null: the last page. */
  readonly next: string | null;
}

export interface UnfinishedRow {
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly lookAtMs: number | null;
  readonly waitsFor: string | null;
  /** It was reported as starved already. */
  readonly reported: boolean;
}
