import { endedOf, judgeCounts } from './count-metrics.js';
import type { GatePolicy } from './gate-policy.js';
import type { GateSide, GateWindow } from './gate-window.js';
import type { Judged } from './metric.js';
import { judgeRunTimes } from './run-time-metric.js';
import { evidenceOf, WORSE_REASONS } from './evidence.js';
import type { CanaryVerdict, GateMetric, GateReason, GateSamples, GateVerdict } from './verdict.js';

/**
 * Whether a canary is as good as stable, by what both did over the same time: failures (lost leases among them), lost
 * leases and dead letters on their own, and run times. Each kind of work is compared with itself, so a canary that happens
 * to get more of a bad kind is not blamed for it, and neither is one that meets an outage which everybody meets.
 *
 * Look as often as you like and stop when you like: over a whole rollout a canary that is no worse than stable is called
 * `unhealthy` with a chance of at most `alpha`, and one that is worse by the margin is called `healthy` with a chance of at
 * most `alpha`. One that is worse by less may be called either; the less it is, the sooner `healthy`.
 *
 * Pure, and every figure of the answer is finite.
 */
export function judgeCanary(window: GateWindow, policy: GatePolicy): CanaryVerdict {
  const told: readonly Judged[] = [...judgeCounts(window, policy), judgeRunTimes(window, policy)];
  const metrics = told.map((j) => j.metric);
  const samples: GateSamples = { canary: ended(window, 'canary'), stable: ended(window, 'stable') };
  const { verdict, reasons } = conclude(metrics, samples, policy);
  return {
    ...{ verdict, reasons, samples },
    needed: verdict === 'inconclusive' ? neededOf(told, samples, policy) : { canary: 0, stable: 0 },
    evidence: metrics.map((metric) => evidenceOf(metric, policy)),
    metrics,
    window: { sinceMs: window.sinceMs, fromMs: window.fromMs, toMs: window.toMs },
  };
}

function conclude(metrics: readonly GateMetric[], samples: GateSamples, { minSample }: GatePolicy): Concluded {
  if (samples.canary === 0) return { verdict: 'inconclusive', reasons: ['no_canary_traffic'] };
  if (samples.stable === 0) return { verdict: 'inconclusive', reasons: ['no_stable_traffic'] };
  if (samples.canary < minSample || samples.stable < minSample) return { verdict: 'inconclusive', reasons: ['below_minimum_sample'] };
  const worse = metrics.filter((m) => m.state === 'worse');
  if (worse.length > 0) return { verdict: 'unhealthy', reasons: worse.map((m) => WORSE_REASONS[m.name]) };
  if (metrics.every((m) => m.state === 'not-worse' || m.state === 'unknown')) return { verdict: 'healthy', reasons: ['not_worse'] };
  return { verdict: 'inconclusive', reasons: ['more_samples_needed'] };
}

interface Concluded {
  readonly verdict: GateVerdict;
  readonly reasons: readonly GateReason[];
}

function ended({ counts }: GateWindow, side: GateSide): number {
  return counts.reduce((sum, cell) => (cell.side === side ? sum + endedOf(cell) : sum), 0);
}

/** At least one where it is not told yet; of stable only what it lacks of the minimum. */
function neededOf(told: readonly Judged[], samples: GateSamples, { minSample }: GatePolicy): GateSamples {
  const most = told.reduce((sum, { needed }) => Math.max(sum, needed), 1);
  return { canary: Math.max(most, minSample - samples.canary), stable: Math.max(0, minSample - samples.stable) };
}
