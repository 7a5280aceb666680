import type { JobRef } from '#libs/domain';
import type { ReconciliationRow } from './reconciliation-store.port.js';

/**
 * Notices of what is stuck, from the rows of the reconciler's runs. Each run is gathered once, in the transaction that
 * makes its notices, so nothing is lost and nothing told of twice; the clock is the database's real one.
 */
export interface NoticeStore {
  /**
   * Takes the rows of all runs that no notice has been made of, once the oldest is `windowMs` old, and keeps what `make`
   * answers. One replica at a time; the others find nothing to do. Answers how many notices were kept.
   */
  gather(windowMs: number, make: (rows: readonly ReconciliationRow[], window: NoticeWindow) => Gathered): Promise<number>;
  /** Claims what is due, and counts a try for each. A claim passes after `claimMs`. */
  claim(limit: number, claimMs: number): Promise<readonly ClaimedNotice[]>;
  /** Acknowledged, or given up: the row goes. */
  finish(notice: ClaimedNotice): Promise<void>;
  postpone(notice: ClaimedNotice, inMs: number): Promise<void>;
}

export interface NoticeWindow {
  /** Of the first run in it: with the queue what a notice is named by. */
  readonly runId: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Gathered {
  readonly notices: readonly NewNotice[];
  /** All jobs that were stuck, by the notice that each is in, also where nobody is to get it. */
  readonly jobs: readonly { readonly ref: JobRef; readonly noticeId: string }[];
}

export interface NewNotice {
  readonly id: string;
  readonly webhook: string;
  readonly message: string;
}

export interface ClaimedNotice extends NewNotice {
  /** This one included. */
  readonly tries: number;
  readonly claim: string;
}

/** What became of notices, for whoever asks. */
export interface NoticeReads {
  /** null: no run of the last days has found it stuck. */
  found(ref: JobRef): Promise<StuckJob | null>;
}

export interface StuckJob {
  /** It is in a notice, by name or by count. */
  readonly gathered: boolean;
  /** Those to whom the last notice of it is still to go. */
  readonly waiting: readonly WaitingNotice[];
}

export interface WaitingNotice {
  readonly webhook: string;
  readonly tries: number;
  /** The last try came to nothing; false: it was not tried yet, or is just being tried. */
  readonly refused: boolean;
}
