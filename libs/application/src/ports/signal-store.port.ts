import type { MaintenanceScope, MaintenanceWindow, SignalRefusal, SignalSource } from '#libs/domain';
import type { Page, PageOf } from './read-models.port.js';

/** That a queue has gone critical, as somebody told it. */
export interface Signal {
  readonly id: string;
  readonly namespace: string;
  readonly queue: string;
  readonly source: SignalSource;
  /** Of an alert its own; of the evaluator one per queue. */
  readonly fingerprint: string;
  /** When it began to fire, by the clock of whoever says so. */
  readonly startsMs: number;
  /** When it was first told, lane time ms. */
  readonly seenMs: number;
  /** null: it goes on. Never null again for the same signal, however late somebody repeats that it fires. */
  readonly resolvedMs: number | null;
  /** Such as `ratio` and `unprocessed`, as they were told last. */
  readonly figures: Readonly<Record<string, number>>;
  readonly incidentId: string | null;
  /** Why it leads to nothing, one of `SETTLEMENTS`; null: it has not been settled. */
  readonly settled: string | null;
}

/** What is kept of every alert that asks for a rollback, refused ones included. */
export interface SignalRow extends Omit<Signal, 'namespace' | 'queue' | 'startsMs'> {
  /** null, as are the next two: whoever told it did not say, or nobody could read it. */
  readonly namespace: string | null;
  readonly queue: string | null;
  readonly startsMs: number | null;
  /** More about why it leads to nothing. */
  readonly detail: string | null;
  /** How often it was told. */
  readonly times: number;
  readonly lastMs: number;
}

/** One alert, as it was told. */
export interface ToldSignal {
  /** 16 bytes as hex: the same signal always has the same. */
  readonly identity: string;
  readonly source: SignalSource;
  readonly fingerprint: string;
  readonly startsMs: number | null;
  readonly namespace: string | null;
  readonly queue: string | null;
  /** false: it is over. */
  readonly firing: boolean;
  readonly figures: Readonly<Record<string, number>>;
  /** null: it can be acted on. */
  readonly refused: { readonly why: SignalRefusal; readonly detail: string } | null;
}

export interface SignalStore {
  /**
   * Keeps what was told, all or nothing, in one statement. Repeatable: the same identity is one row for ever. Once
   * resolved it stays so. One that was refused and no longer is becomes open. Answers the rows in the order of `told`,
   * which names no identity twice. Throws RetryableError when the database is away.
   */
  tell(told: readonly ToldSignal[]): Promise<readonly { readonly row: SignalRow; readonly isNew: boolean }[]>;
  /** Neither assigned, nor resolved, nor settled for good; the ones settled for a while are among them. Oldest first. */
  unassigned(): Promise<readonly (Signal & { readonly settledUntilMs: number | null })[]>;
  /** Those that are assigned already keep their incident. Repeatable. */
  assign(ids: readonly string[], incidentId: string): Promise<void>;
  /** `why` null: open again. With `until` it is settled for so long (lane time), for what it says, and then looked at anew. Repeatable. */
  settle(ids: readonly string[], why: string | null, until?: { readonly ms: number; readonly detail: string } | null): Promise<void>;
  /** Assigned to the incident, and not resolved. */
  standing(incidentId: string): Promise<readonly Signal[]>;
  /** Ends what nobody has told for so long; answers how many. */
  expire(silentMs: number): Promise<number>;
  /** By name, in every namespace: those that any event has named. */
  queuesNamed(names: readonly string[]): Promise<readonly { readonly namespace: string; readonly queue: string }[]>;
  nowMs(): Promise<number>;
}

export interface SignalFilter {
  /** Signals without a namespace are seen by those who see all. */
  readonly namespaces: readonly string[] | 'all';
  readonly queue?: string;
  readonly state?: SignalState;
}

/** `open`: nothing has come of it yet. `standing`: assigned, and it goes on. */
export const SIGNAL_STATES = ['open', 'standing', 'settled', 'resolved'] as const;
export type SignalState = (typeof SIGNAL_STATES)[number];

export interface SignalReads {
  /** Newest first. */
  list(filter: SignalFilter, page: Page): Promise<PageOf<SignalRow>>;
}

export interface MaintenanceStore {
  /** Those that have not ended, the ones that begin later included. */
  standing(): Promise<readonly MaintenanceWindow[]>;
  /** Begins now unless `fromMs` is given. */
  start(window: MaintenanceScope & { readonly fromMs: number | null; readonly untilMs: number; readonly reason: string; readonly by: string }): Promise<MaintenanceWindow>;
  /** null: no such window. One that has ended stays as it ended. */
  end(id: string, by: string): Promise<MaintenanceWindow | null>;
  one(id: string): Promise<MaintenanceWindow | null>;
  /** Newest first. */
  list(filter: { readonly namespaces: readonly string[] | 'all' }, page: Page): Promise<PageOf<MaintenanceWindow>>;
}
