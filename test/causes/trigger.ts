import type { Fleet } from './fleet/fleet.js';
import type { Pool } from './fleet/terrain.js';

const RATIO = 0.25;
const OVER_STEPS = 12;
const FOR_STEPS = 6;
/** Fewer that ended badly prove nothing to anybody. */
const LEAST_BAD = 8;
const STEP_MS = 10_000;
const MUCH = 0.1;
const SOONEST_MS = 60_000;
const LATEST_MS = 270_000;

/**
 * When somebody asks what is wrong: every ten seconds it looks at the ratio of failed over processed of two minutes, and at
 * how many wait; a minute of either is an alert. Where neither comes (a canary that fails, one job that goes round), a
 * person asks after four and a half minutes: the window that the controller takes reaches back to the beginning.
 */
export class Trigger {
  private readonly seen: { bad: number; all: number }[] = [];
  private over = 0;
  private deep = 0;

  constructor(
    private readonly fleet: Fleet,
    private readonly pool: Pool,
  ) {}

  asks(wrongMs: number): boolean {
    const { succeeded, failed, lost } = this.fleet.attempts.counts;
    this.seen.push({ bad: failed + lost, all: succeeded + failed + lost });
    const now = this.seen.at(-1) ?? { bad: 0, all: 0 };
    const then = this.seen.at(-1 - OVER_STEPS) ?? { bad: 0, all: 0 };
    const bad = now.bad - then.bad;
    this.over = bad >= LEAST_BAD && bad / (now.all - then.all) > RATIO ? this.over + 1 : 0;
    const waiting = this.pool.queues.reduce((sum, queue) => sum + this.fleet.depth(queue), 0);
    this.deep = waiting > this.pool.replicas * this.pool.concurrency * 8 ? this.deep + 1 : 0;
    const sinceMs = this.fleet.nowMs - wrongMs;
    if (sinceMs < SOONEST_MS) return false;
    return this.over >= FOR_STEPS || this.deep >= FOR_STEPS || sinceMs >= LATEST_MS;
  }

  /** Of what ended in the last minute much went wrong, and far more than before. */
  goesOn(wrongMs: number): boolean {
    const stepsSince = Math.ceil((this.fleet.nowMs - wrongMs) / STEP_MS);
    const before = this.seen.at(-1 - stepsSince) ?? { bad: 0, all: 0 };
    const [minuteAgo, now] = [this.seen.at(-7) ?? before, this.seen.at(-1) ?? before];
    const lately = share({ bad: now.bad - minuteAgo.bad, all: now.all - minuteAgo.all });
    return lately > Math.max(MUCH, 2 * share(before));
  }
}

function share({ bad, all }: { readonly bad: number; readonly all: number }): number {
  return all === 0 ? 0 : bad / all;
}
