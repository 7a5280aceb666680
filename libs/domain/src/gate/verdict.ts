import type { Evidence } from '../cause/assessment.js';

export const GATE_VERDICTS = ['healthy', 'unhealthy', 'inconclusive', 'error'] as const;
/**
 * `healthy`: there is evidence that the canary is not worse by more than the margin. `unhealthy`: there is evidence that it
 * is worse. `inconclusive`: neither yet. `error`: it cannot be judged at all.
 */
export type GateVerdict = (typeof GATE_VERDICTS)[number];

export const GATE_METRICS = ['failures', 'lost', 'deadLetters', 'runTimes'] as const;
export type GateMetricName = (typeof GATE_METRICS)[number];

export const GATE_REASONS = [
  'failures_worse',
  'lost_worse',
  'dead_letters_worse',
  'run_times_worse',
  'not_worse',
  'more_samples_needed',
  'below_minimum_sample',
  'no_canary_traffic',
  'no_stable_traffic',
  'revision_unknown',
  'stable_unknown',
  'target_unknown',
  'queue_unknown',
  'database_unavailable',
] as const;
export type GateReason = (typeof GATE_REASONS)[number];

/** How far one thing that is measured has been told. */
export interface GateMetric {
  readonly name: GateMetricName;
  /** `worse`: evidence that it is. `not-worse`: evidence that it is not, beyond the margin. `unknown`: nothing tells of it. */
  readonly state: 'worse' | 'not-worse' | 'open' | 'unknown';
  /** Shares, 0 to 1, of what ended; of run times: how many took longer than the median of stable. null: nothing ended. */
  readonly canary: number | null;
  readonly stable: number | null;
  /** Canary less stable, each kind compared with itself. null: the two never met. */
  readonly difference: number | null;
  /** The kind of work that it is worse with, where it is one alone; `queue` and kind as the window names them. */
  readonly kind: string | null;
  readonly worse: GateTest;
  readonly notWorse: GateTest;
}

export interface GateTest {
  /** At most so probable were the opposite true, however often one has looked. */
  readonly chance: number;
  /** It is told where `chance` is at most this. */
  readonly tellsAt: number;
}

export interface CanaryVerdict {
  readonly verdict: GateVerdict;
  /** Why, for machines, the weightiest first. */
  readonly reasons: readonly GateReason[];
  /** Why, for people, with figures. */
  readonly evidence: readonly Evidence[];
  /** Attempts that ended. */
  readonly samples: GateSamples;
  /** About how many more would tell, were the canary as good as stable; 0 of both where it is told. */
  readonly needed: GateSamples;
  readonly metrics: readonly GateMetric[];
  /** Lane times, ms. */
  readonly window: { readonly sinceMs: number; readonly fromMs: number; readonly toMs: number };
}

export interface GateSamples {
  readonly canary: number;
  readonly stable: number;
}
