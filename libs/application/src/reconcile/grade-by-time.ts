import type { LaneClock } from '../ports/lane-clock.port.js';
import type { VerdictStore } from '../ports/verdict-store.port.js';

/** Rows per statement: a commit's worth, and no lock that a heartbeat would wait for. */
const PER_STEP = 500;

/**
 * Confirms what silence has confirmed: nothing was heard of the attempt for ten more thresholds. Found by an index on
 * that instant, so that its cost depends on how many are due.
 *
 * Clock: lane time, as far as every lane has been read: an event that was not read yet could say otherwise. One that
 * comes still later overrules it: wrong always wins.
 */
export class GradeByTime {
  constructor(
    private readonly store: Pick<VerdictStore, 'confirmSilent'>,
    private readonly clock: Pick<LaneClock, 'read'>,
  ) {}

  /** Answers whether there may be more. */
  async step(): Promise<boolean> {
    const { http, kafka } = await this.clock.read();
    const readMs = Math.min(http.readMs, kafka?.readMs ?? http.readMs);
    return (await this.store.confirmSilent(readMs, PER_STEP)) >= PER_STEP;
  }
}
