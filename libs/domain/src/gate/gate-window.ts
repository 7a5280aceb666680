/** Whose attempts: those of the canary, or those that it is held against. */
export type GateSide = 'canary' | 'stable';

/**
 * What canary and stable did over the same time. Lane times, ms. Whoever reads it leaves out what is not over yet: of a
 * stretch either all is in it or nothing, so that a later look sees the same stretches, and more.
 */
export interface GateWindow {
  /** Stretches begin at or after `fromMs` and have ended by `toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  /** When the canary was first heard of, or the rollout began; at most `fromMs`. */
  readonly sinceMs: number;
  /** In any order, split in any way. */
  readonly counts: readonly GateCounts[];
  /** Of attempts that succeeded. In any order, split in any way. */
  readonly runTimes: readonly GateRunTimes[];
}

/** Of one stretch. */
export interface GateCell {
  /** Where the stretch begins. */
  readonly slotMs: number;
  /** Like is compared with like: the queue and the kind of the job. */
  readonly kind: string;
  readonly side: GateSide;
}

export interface GateCounts extends GateCell {
  readonly succeeded: number;
  readonly failed: number;
  readonly lost: number;
  readonly deadLettered: number;
}

export interface GateRunTimes extends GateCell {
  /** `runTimeBucket` of it. */
  readonly bucket: number;
  readonly count: number;
}
