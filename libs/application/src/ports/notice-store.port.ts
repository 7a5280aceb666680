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
  gather(windowMs: number, make: (rows: readonly ReconciliationRow[], window: NoticeWindow) => readonly NewNotice[]): Promise<number>;
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
  /** The last runs with a row that may be of this job, the newest first. */
  runsNaming(job: string): Promise<readonly NoticedRun[]>;
  /** Notices that name the job, or may be of it, and that nobody has acknowledged yet; the newest first. */
  waiting(ref: JobRef): Promise<readonly WaitingNotice[]>;
}

export interface NoticedRun {
  /** Notices were made of it. */
  readonly noticed: boolean;
  readonly rows: readonly ReconciliationRow[];
}

export interface WaitingNotice {
  readonly webhook: string;
  readonly tries: number;
  /** The last try came to nothing; false: it was not tried yet, or is just being tried. */
  readonly refused: boolean;
}
