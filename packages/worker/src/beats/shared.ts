/**
 * What the event loop leaves where its thread can read it, also while it is blocked: whole numbers, at these places of a
 * BigInt64Array. `renewedMs` is what the thread leaves for the loop: when the last beat was sent that somebody has answered. The thread has a copy of the places, since it can load no other file.
 */
export const PLACES = { tickMs: 0, lagMs: 1, heapUsed: 2, heapLimit: 3, poolInUse: 4, poolWaiting: 5, renewedMs: 6 } as const;
export const PLACE_COUNT = 7;

/** How often the loop says that it turns. */
export const TICK_MS = 100;

/** One clock for all threads of a process; no setting of the system's clock moves it. */
export function sharedNowMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
