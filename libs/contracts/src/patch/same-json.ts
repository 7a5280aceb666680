import { isObject } from '../json.js';

/** Do two trees of leaves mean the same? As RFC 6902 has it: whatever the order of keys, numbers by what they count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a === 'symbol' && typeof b === 'symbol') return meaningOf(a) === meaningOf(b);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

/** One text for all spellings of a value. */
function meaningOf({ description: source = '' }: symbol): string {
  if (source.startsWith('"')) return JSON.stringify(JSON.parse(source));
  return /^[-\d]/u.test(source) ? numberOf(source) : source;
}

/** Exact, where a double would take two long numbers for one. */
function numberOf(source: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/u.exec(source) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/u, '');
  const kept = digits.replace(/0+$/u, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${String(Number(exponent) - part.length + digits.length - kept.length)}`;
}
