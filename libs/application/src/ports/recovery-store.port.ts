/**
 * Which database this is. A restored one lacks what happened since: it may call lost what has finished, and give out
 * tokens a second time. So it is only observed (nothing decided, nothing granted, nothing sent) until `recover`:
 *
 *   known ──another database than the one stored──► restored ──recover──► observing, for one lease ──► known
 */
export interface RecoveryStore {
  /**
   * Compares the database with what it says it is: server, timeline, database, the log's table. The first time it only
   * keeps that. Idempotent; cheap enough for every second.
   */
  notice(): Promise<RecoveryStanding>;
  /** In one transaction: the epoch rises, so that tokens do; lanes go back; leases run again in full. */
  recover(request: RecoverRequest): Promise<Recovered>;
  /** What {@link recover} would answer now. Changes nothing. */
  foresee(request: RecoverRequest): Promise<Recovered>;
}

export interface RecoveryStanding {
  /** What shows that it was restored; null: nothing does. */
  readonly restored: string | null;
  /** Nothing is decided before, lane time ms; 0: there is no such time. */
  readonly observeUntilMs: number;
  readonly nowMs: number;
}

export interface RecoverRequest {
  /** One lease of observing, ms: the longest that any worker may be silent. */
  readonly observeMs: number;
  /** Lanes by name, and the position to go on from. */
  readonly rewinds: readonly { readonly lane: string; readonly next: number }[];
  /** Also where nothing shows a restore: a copy of the data folder is the same database to itself. */
  readonly force: boolean;
}

/** A lane that is read by position, where it goes on from. */
export interface LanePlace {
  readonly lane: string;
  readonly next: number;
  /** Where it had stood; null: there, it does not go back. */
  readonly from: number | null;
}

export type Recovered =
  | {
      readonly kind: 'recovered';
      /** What had shown the restore; null: nothing, and it was forced. */
      readonly restored: string | null;
      readonly epoch: number;
      readonly observeUntilMs: number;
      readonly lanes: readonly LanePlace[];
    }
  | { readonly kind: 'refused'; readonly code: 'not_restored' | 'lane_unknown'; readonly detail: string };
