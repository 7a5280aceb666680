import type { GateCounts, GateSide, GateWindow } from './gate-window.js';
import { runTimeBucket } from '../job/view/contribution.js';

export const T0 = 1_700_000_100_000;
const SLOT_MS = 10_000;

export interface Attempts {
  readonly side: GateSide;
  /** The stretch, from 0. */
  readonly slot: number;
  readonly kind?: string;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly lost?: number;
  readonly deadLettered?: number;
  /** Of those that succeeded. */
  readonly runMs?: number;
}

export function windowOf(attempts: readonly Attempts[]): GateWindow {
  const counts: GateCounts[] = attempts.map(({ side, slot, kind = 'mail', succeeded = 0, failed = 0, lost = 0, deadLettered = 0 }) => ({
    ...{ side, kind, succeeded, failed, lost, deadLettered },
    slotMs: T0 + slot * SLOT_MS,
  }));
  const runTimes = attempts.flatMap(({ side, slot, kind = 'mail', succeeded = 0, runMs }) =>
    runMs === undefined ? [] : [{ side, kind, slotMs: T0 + slot * SLOT_MS, bucket: runTimeBucket(runMs), count: succeeded }],
  );
  const slots = attempts.reduce((most, { slot }) => Math.max(most, slot + 1), 0);
  return { sinceMs: T0, fromMs: T0, toMs: T0 + slots * SLOT_MS, counts, runTimes };
}

/** The same in each of so many stretches. */
export function over(slots: number, each: readonly Omit<Attempts, 'slot'>[]): GateWindow {
  return windowOf(Array.from({ length: slots }, (_, slot) => each.map((one) => ({ ...one, slot }))).flat());
}
