/** How intake comes back after it was throttled. */
export interface ReadmitPolicy {
  /** Per cent of the normal rate, rising; the first one is what a throttled queue lets in. */
  readonly steps: readonly number[];
  /** How long each step is held, ms. */
  readonly holdMs: number;
  /** So many falls back by a step, and a person has to look. */
  readonly falls: number;
  /** Share of attempts that fail above which a step is taken back, and below which a rollback counts as verified. */
  readonly maxRatio: number;
  /** Fewer attempts than these say nothing. */
  readonly minSample: number;
}
