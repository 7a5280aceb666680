const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface HourCount {
  /** RFC 3339. */
  readonly from: string;
  readonly letters: number;
}

/** Of each of the last 30 days of UTC, today last. */
export function byDay(hours: readonly HourCount[], nowMs: number, days = 30): readonly number[] {
  const counts = Array.from({ length: days }, () => 0);
  const today = Math.floor(nowMs / DAY_MS);
  for (const { from, letters } of hours) {
    const at = days - 1 - (today - Math.floor(Date.parse(from) / DAY_MS));
    if (at >= 0 && at < days) counts[at] = (counts[at] ?? 0) + letters;
  }
  return counts;
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
