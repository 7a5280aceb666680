import type { Figure, Findings, Progress } from '../figures/report.js';

/** What a figure of the trust report gets. */
export interface Trust extends Progress {
  /** Real durations, as in the soak; otherwise divided by 20, for a run within CI's time. */
  readonly real: boolean;
}

export type TrustFigure = Figure<Trust>;
export type TrustResult = Findings;
