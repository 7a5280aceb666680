import type { GateView, QueueView, RecoveryView, StuckAfterView } from '#libs/contracts';
import { JOBWARDEN, quantileMs, stuckAfterOf } from '#libs/domain';
import type { QueueGate } from '../ports/queue-gate-store.port.js';
import type { LevelOverride } from '../ports/operate-store.port.js';
import type { ResolvedPolicy } from '../ports/policy-source.port.js';
import type { NativeQueueRow, QueueRow, RecoveryRow } from '../ports/read-models.port.js';
import { iso } from './time.js';

/** A queue by its maintained counters. */
export function queueView(
  row: QueueRow,
  resolved: ResolvedPolicy,
  gate: QueueGate | null,
  overrides: readonly LevelOverride[],
): QueueView {
  const { levels } = resolved;
  const fallbacks = overrides.filter((o) => o.by === JOBWARDEN && o.level === levels[o.action]);
  const { byStatus } = row;
  const failed = row.attemptsFailed + row.attemptsLost;
  const ended = failed + row.attemptsSucceeded;
  return {
    namespace: row.namespace,
    queue: row.queue,
    depth: byStatus.queued + byStatus.requeued + byStatus.retrying,
    running: byStatus.processing,
    // At act a lost job stands at restart-requested; below it only a would-have says so.
    stuck: byStatus['restart-requested'] + byStatus.incomplete + row.suspected,
    failureRatio: ended === 0 ? null : failed / ended,
    quantiles: quantilesOf(row.runTimes),
    stuckAfter: stuckAfterView(resolved),
    oldestAgeMs: row.oldestSinceMs === null ? null : Math.max(0, row.nowMs - row.oldestSinceMs),
    byStatus: { ...byStatus },
    ...(row.native !== null && { native: nativeView(row.native) }),
    paused: gate?.gate === 'paused',
    ...(gate !== null && { gate: gateView(gate) }),
    ...(row.recovery !== null && { recovery: recoveryView(row.recovery) }),
    levels: { ...levels },
    ...(fallbacks.length > 0 && {
      fallbacks: fallbacks.map(({ action, reason, setMs }) => ({ action, reason, at: iso(setMs) })),
    }),
  };
}

/** null: a run without a lease may take for ever. */
export function stuckAfterView(resolved: Pick<ResolvedPolicy, 'policy' | 'sources' | 'learned'>): StuckAfterView | null {
  const { policy, sources, learned = null } = resolved;
  const threshold = stuckAfterOf(policy, sources, learned);
  if (threshold === null) return null;
  const { source, ms } = threshold;
  if (source !== 'learned' || learned === null) return { source, ms };
  const { from, samples, longer, quantile, quantileMs: atQuantileMs, factor } = learned;
  return { source, ms, learned: { from, samples, longer, quantile, quantileMs: atQuantileMs, factor } };
}

export function gateView({ gate, perSecond, reason, by, setMs }: QueueGate): GateView {
  return { gate, ...(perSecond !== null && { perSecond }), reason, by, at: iso(setMs) };
}

function recoveryView({ heldBy, sinceMs, evidence }: RecoveryRow): RecoveryView {
  const since = iso(sinceMs);
  if (evidence === null) return { heldBy, since };
  const { lostWorkers, workers, lostJobs } = evidence;
  return { heldBy, since, lostWorkers, workers, lostJobs };
}

function quantilesOf(runTimes: ReadonlyMap<number, number>): QueueView['quantiles'] {
  let samples = 0;
  for (const count of runTimes.values()) samples += count;
  const at = (q: number) => {
    const ms = quantileMs(runTimes, q);
    return ms === null ? null : Math.round(ms);
  };
  return { samples, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

function nativeView(native: NativeQueueRow): NonNullable<QueueView['native']> {
  return {
    ...(native.waiting !== null && { waiting: native.waiting }),
    ...(native.oldestAgeMs !== null && { oldestAgeMs: native.oldestAgeMs }),
    ...(native.paused !== null && { paused: native.paused }),
    at: iso(native.reportedMs),
  };
}
