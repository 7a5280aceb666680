/** Durations ("1h30m") and sizes ("1MiB") as people write them. Milliseconds and bytes everywhere else. */

export const DAY_MS = 86_400_000;
/** Of every duration: beyond it, sums with a timestamp leave what JavaScript and PostgreSQL agree on. */
export const MAX_DURATION_MS = 400 * DAY_MS;

const UNITS = [
  ['d', DAY_MS],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

const AMOUNT = String.raw`(\d{1,11}(?:\.\d{1,6})?)`;
const DURATION = new RegExp(`^(?:${AMOUNT}d)?(?:${AMOUNT}h)?(?:${AMOUNT}m)?(?:${AMOUNT}s)?(?:(\\d{1,11})ms)?$`);

/** Milliseconds, or null when the text is no duration. Units from large to small, each once; not bounded here. */
export function parseDuration(text: string): number | null {
  const parts = DURATION.exec(text);
  if (text === '' || parts === null) return null;
  // "1.5h" is fine, "0.0001s" is not a number of milliseconds. Rounding first: 0.1 + 0.2 is not 0.3.
  const ms = UNITS.reduce((sum, [, factor], index) => sum + Number(parts[index + 1] ?? 0) * factor, 0);
  const whole = Math.round(ms);
  return Math.abs(ms - whole) < 1e-6 * Math.max(1, ms) ? whole : null;
}

/** The shortest way to write it: 5400000 is "1h30m", 3333 is "3333ms" rather than "3s333ms". */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms <= 0 || ms % 1_000 !== 0) return `${String(ms)}ms`;
  let rest = ms;
  let text = '';
  for (const [unit, factor] of UNITS) {
    const count = Math.floor(rest / factor);
    if (count > 0) text += `${String(count)}${unit}`;
    rest -= count * factor;
  }
  return text;
}

const SIZES: Readonly<Record<string, number>> = { B: 1, kB: 1_000, KiB: 1_024, MB: 1_000_000, MiB: 1_048_576 };

/** Bytes, or null. "64KiB", "1MB", "2048B"; a bare number is the reader's to accept. */
export function parseSize(text: string): number | null {
  const parts = /^(\d{1,12})\s?(B|kB|KiB|MB|MiB)$/.exec(text);
  if (parts === null) return null;
  return Number(parts[1]) * (SIZES[parts[2] ?? ''] ?? Number.NaN);
}

export function formatSize(bytes: number): string {
  for (const unit of ['MiB', 'KiB'] as const) {
    const size = SIZES[unit] ?? 1;
    if (bytes >= size && bytes % size === 0) return `${String(bytes / size)}${unit}`;
  }
  return `${String(bytes)}B`;
}
