/** How sure the gate must be, and of what. */
export interface GatePolicy {
  /** Chance of a false alarm over a whole rollout, however often one looks; the same of a false `healthy`. */
  readonly alpha: number;
  /** A canary that fails by less than this above stable is as good as stable: a share, 0.02 = two in a hundred. */
  readonly margin: number;
  /** A canary that takes less than so many times as long as stable is as good as stable; null: run times are not judged. */
  readonly runTimeFactor: number | null;
  /** With fewer attempts that ended, of either, nothing is said. */
  readonly minSample: number;
  /** Looked back at most so far, ms. */
  readonly windowMs: number;
}

/** `docs/canary.md` says what each costs. */
export const GATE_DEFAULTS: GatePolicy = {
  alpha: 0.05,
  margin: 0.02,
  runTimeFactor: 1.5,
  minSample: 20,
  windowMs: 3_600_000,
};
