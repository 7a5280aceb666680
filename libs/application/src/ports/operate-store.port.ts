import type { Action, JobRef, Level } from '#libs/domain';

/** What operators set beside the log. Every call is one statement or one transaction; all are safe to repeat. */

/** `PUT /v1/queues/{queue}/levels`: an operator's level of one action of one queue. */
export interface LevelOverride {
  readonly namespace: string;
  readonly queue: string;
  readonly action: Action;
  readonly level: Level;
  /** What the policy file said when this was set: the override wins until that changes. */
  readonly fileLevel: Level;
  readonly reason: string;
  readonly by: string;
  /** Lane time, ms. */
  readonly setMs: number;
}

export interface LevelStore {
  all(): Promise<readonly LevelOverride[]>;
  /** Replaces the one of the same queue and action; makes the queue where it is not known yet. */
  set(override: Omit<LevelOverride, 'setMs'>): Promise<LevelOverride>;
  /** Removes it as far as it is still the one given. */
  drop(override: LevelOverride): Promise<void>;
}

export interface ActionsSwitch {
  readonly enabled: boolean;
  /** Empty until somebody has used it. */
  readonly reason: string;
  readonly by: string;
  /** When it was set last, lane time ms; left out until somebody has used it. The store's to say. */
  readonly sinceMs?: number | null;
  /** The database was restored: it is only observed until it has been recovered, and this long after, lane time ms. */
  readonly restored?: string | null;
  readonly observeUntilMs?: number | null;
}

/** The stop switch of all replicas. Kept in the database: it survives restarts. */
export interface SwitchStore {
  read(): Promise<ActionsSwitch>;
  set(wanted: ActionsSwitch): Promise<ActionsSwitch>;
}

export interface ClockReading {
  readonly mode: 'real' | 'manual';
  /** Lane time now, ms. */
  readonly nowMs: number;
}

export interface ClockStore {
  read(): Promise<ClockReading>;
  /**
   * Moves a manual clock on, and with it how far lanes that are read by position count as read: the caller has seen to
   * it that what lay in them was. Answers null, and changes nothing, on a real clock or when `nowMs` lies behind it.
   * `untilDue`: stops where a decision falls due.
   */
  advance(nowMs: number, untilDue: boolean): Promise<ClockReading | null>;
}

/** A quarantined message with all of its bytes. */
export interface QuarantinedMessage {
  readonly id: string;
  readonly lane: number;
  readonly origin: string;
  readonly reason: string;
  readonly detail: string;
  readonly namespace: string | null;
  readonly ref: JobRef | null;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly state: QuarantineState;
}

export type QuarantineState = 'open' | 'replayed' | 'dismissed';

export interface QuarantineDesk {
  one(id: string): Promise<QuarantinedMessage | null>;
  /** Closes an open entry; false when it was not open any more: two operators at once, one wins. */
  close(
    id: string,
    closing: { readonly state: 'replayed' | 'dismissed'; readonly by: string; readonly reason: string },
  ): Promise<boolean>;
  /** A replay failed again: the entry stays open and says why it now fails. */
  keepOpen(id: string, why: { readonly reason: string; readonly detail: string }): Promise<void>;
}
