/** Waits between tries: `initialMs · factor^(tries − 1)` up to `maxMs`, spread by `jitter`. */
export interface RetrySchedule {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** Share of the wait that is added at most, so that what failed together does not come back together. */
  readonly jitter: number;
  /** After so many tries it is parked. */
  readonly tries: number;
}

/** Ten tries over about half an hour. */
export const WEBHOOK_RETRIES: RetrySchedule = { initialMs: 1_000, factor: 3, maxMs: 600_000, jitter: 0.2, tries: 10 };

/** `random` in [0, 1). */
export function retryInMs(schedule: RetrySchedule, tries: number, random: number): number {
  const waitMs = Math.min(schedule.maxMs, schedule.initialMs * schedule.factor ** (tries - 1));
  return Math.round(waitMs * (1 + schedule.jitter * random));
}
