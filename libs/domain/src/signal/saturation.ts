/**
 * The rule by which a queue counts as critically saturated, the same as the alert rule that ships for Prometheus.
 *
 *   at rest ── over ──► pending ── over for `forMs` ──► firing ── recovered for `forMs` ──► at rest
 *                  ◄── anything else ──┘                  ◄── anything else: the wait begins anew
 *
 * Hysteresis: what fires goes on until the ratio is below a lower bound for a time. Nothing processed is no data, which
 * neither begins nor ends anything; an unknown backlog is never taken for an empty one.
 */
export interface SaturationPolicy {
  /** Failed and lost attempts over all that ended, 0 to 1: above it the queue is over. */
  readonly ratio: number;
  /** Waiting jobs above which the queue is over. */
  readonly unprocessed: number;
  /** So long the queue is over before it fires, and has recovered before it stops. */
  readonly forMs: number;
  /** Attempts count that ended within so long. */
  readonly windowMs: number;
  /** Fewer attempts than these in the window say nothing. */
  readonly minProcessed: number;
  /** Below this ratio the queue has recovered. Less than `ratio`. */
  readonly recoverBelow: number;
}

/** What was counted of a queue in one look. */
export interface SaturationSample {
  /** Attempts that ended in the window: succeeded, failed and lost. */
  readonly processed: number;
  /** Of these, failed or lost: a worker that dies reports nothing. */
  readonly failed: number;
  /** Jobs that wait for a worker; null: unknown. */
  readonly unprocessed: number | null;
}

export type SaturationReading = 'over' | 'under' | 'recovered' | 'no_data';

/** How a queue stands. All times in ms; null: it is not so. */
export interface SaturationStanding {
  readonly overSinceMs: number | null;
  readonly firingSinceMs: number | null;
  readonly recoveringSinceMs: number | null;
}

export const NOT_SATURATED: SaturationStanding = { overSinceMs: null, firingSinceMs: null, recoveringSinceMs: null };

export function readSaturation({ processed, failed, unprocessed }: SaturationSample, policy: SaturationPolicy): SaturationReading {
  // With nothing waiting and nothing processed there is nothing left that could be saturated.
  if (processed === 0) return unprocessed === 0 ? 'recovered' : 'no_data';
  if (processed < policy.minProcessed) return 'no_data';
  const ratio = failed / processed;
  if (ratio < policy.recoverBelow) return 'recovered';
  if (unprocessed === null) return 'no_data';
  return ratio > policy.ratio && unprocessed > policy.unprocessed ? 'over' : 'under';
}

export function nextSaturation(
  before: SaturationStanding,
  reading: SaturationReading,
  { forMs }: Pick<SaturationPolicy, 'forMs'>,
  nowMs: number,
): SaturationStanding {
  const { firingSinceMs } = before;
  if (firingSinceMs === null) {
    if (reading !== 'over') return NOT_SATURATED;
    const overSinceMs = before.overSinceMs ?? nowMs;
    return { overSinceMs, firingSinceMs: nowMs - overSinceMs >= forMs ? nowMs : null, recoveringSinceMs: null };
  }
  if (reading !== 'recovered') return { ...before, recoveringSinceMs: null };
  const recoveringSinceMs = before.recoveringSinceMs ?? nowMs;
  return nowMs - recoveringSinceMs >= forMs ? NOT_SATURATED : { ...before, recoveringSinceMs };
}
