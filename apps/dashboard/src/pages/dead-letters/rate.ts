/** A rate that the API takes; null: it is none. */
export function rateIn(text: string): number | null {
  const trimmed = text.trim();
  const value = /^\d{1,4}$/.test(trimmed) ? Number(trimmed) : NaN;
  return value >= 1 && value <= 1_000 ? value : null;
}
