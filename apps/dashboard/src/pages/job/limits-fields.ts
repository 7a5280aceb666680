const MOST_MS = 400 * 86_400_000;

/** Null: left empty, it stays as it is. NaN: it is none. */
export function retriesIn(text: string): number | null {
  const value = numberIn(text);
  return value === null || (Number.isInteger(value) && value >= 0 && value <= 100) ? value : NaN;
}

/** Seconds as milliseconds. Null: left empty. NaN: it is none. */
export function timeoutMsIn(text: string): number | null {
  const seconds = numberIn(text);
  if (seconds === null) return null;
  const ms = Math.round(seconds * 1_000);
  return ms >= 1 && ms <= MOST_MS ? ms : NaN;
}

function numberIn(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : NaN;
}
