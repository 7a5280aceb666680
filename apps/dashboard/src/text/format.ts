/** How numbers and times are written, in one place. No library: the browser knows. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** `12,345`; from 100,000 on `123K`, as the exact figure is then in the title. */
export function count(value: number): string {
  return Math.abs(value) < 100_000 ? whole.format(value) : compact.format(value);
}

export const exactCount = (value: number): string => whole.format(value);

/** 0.0312 → `3.1 %`; what is more than nothing is never written as nothing. */
export function ratio(value: number): string {
  const percent = value * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? percent.toFixed(1) : whole.format(percent)} %`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `850 ms`, `4.2 s`, `3 min 20 s`, `2 d 4 h`: two units at most. */
export function duration(ms: number): string {
  const size = Math.abs(ms);
  if (size < 1_000) return `${whole.format(ms)} ms`;
  if (size < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const at = UNITS.findIndex(([, unit]) => size >= unit);
  const [name, unit] = UNITS[at] ?? UNITS[3];
  const first = Math.floor(size / unit);
  const [nextName, nextUnit] = UNITS[at + 1] ?? ['', Infinity];
  const second = Math.floor((size - first * unit) / nextUnit);
  const text = `${String(first)} ${name}${second > 0 ? ` ${String(second)} ${nextName}` : ''}`;
  return ms < 0 ? `-${text}` : text;
}

/** `2026-03-01 14:05:09.120 UTC` */
export function utc(atMs: number): string {
  const text = new Date(atMs).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 23)} UTC`;
}

/** `2026-03-01 14:05 UTC`: by when something is to be done. */
export const untilUtc = (atMs: number): string => utc(atMs).replace(/:\d\d\.\d+ UTC$/u, ' UTC');

/** `14:05:09`, for what lies within the day that is told of beside it. */
export const clockTime = (atMs: number): string => new Date(atMs).toISOString().slice(11, 19);

/** `3 min. ago`, `in 2 hr.` */
export function ago(atMs: number, nowMs: number): string {
  const ms = atMs - nowMs;
  const size = Math.abs(ms);
  if (size < 1_000) return relative.format(0, 'second');
  if (size < 60_000) return relative.format(Math.round(ms / 1_000), 'second');
  if (size < 3_600_000) return relative.format(Math.round(ms / 60_000), 'minute');
  if (size < 86_400_000) return relative.format(Math.round(ms / 3_600_000), 'hour');
  return relative.format(Math.round(ms / 86_400_000), 'day');
}

/** Characters that draw nothing, or turn around what stands beside them. */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu;

/** Each of them once, as `\u{…}`. Line ends and tabs are no surprise in a text of several lines. */
export const hiddenIn = (text: string): readonly string[] => [...new Set(text.replaceAll(/[\n\r\t]/gu, '').match(HIDDEN) ?? [])].map(visible);

/** JSON with what cannot be seen in its strings written as `\u…`: the same values, and nothing to be overlooked. */
export const escapeHidden = (json: string): string =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"/gu, (string) => string.replaceAll(HIDDEN, (character) => Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')));

/** A name as it is, with what cannot be seen written out: two ids that differ must not look the same. */
export function visible(text: string): string {
  const shown = text.replaceAll(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return shown.replace(/^ +| +$/gu, (spaces) => '␠'.repeat(spaces.length));
}
