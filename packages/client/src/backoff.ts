const FIRST_MS = 200;
const MOST_MS = 5_000;

/** How long to wait after so many failures in a row: doubling, at most 5 s, less up to a quarter so that not all come at once. */
export function backoffMs(failures: number, random = Math.random): number {
  const whole = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures, 10));
  return whole * (1 - random() / 4);
}
