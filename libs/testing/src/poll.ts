import { setTimeout as delay } from 'node:timers/promises';

export interface PollOptions {
  /** Default 20 seconds. */
  readonly withinMs?: number;
  /** Default 20 milliseconds. */
  readonly everyMs?: number;
}

/** Asks until something holds; false when it did not in time. Tests poll with a deadline, they never just sleep. */
export async function pollUntil(
  holds: () => boolean | Promise<boolean>,
  { withinMs = 20_000, everyMs = 20 }: PollOptions = {},
): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() >= deadline) return false;
    await delay(everyMs);
  }
  return true;
}

/** Asks until something holds. @throws when it did not in time, naming what was awaited. */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  options: PollOptions = {},
): Promise<void> {
  if (!(await pollUntil(holds, options))) throw new Error(`Not within ${options.withinMs ?? 20_000} ms: ${what}`);
}
