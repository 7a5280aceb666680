/**
 * Versions of a database's schema that a release can work with: comparisons that must all hold, such as `<=38` or `>=30 <40`. A version is a number, or
 * numbers with dots between, compared from the left: `38`, `20260115093000`, `2.10.1`.
 */
export type SchemaRange = string;

const VERSION = String.raw`\d{1,18}(?:\.\d{1,18}){0,3}`;
const COMPARISON = new RegExp(String.raw`^(<=|>=|<|>|=)?(${VERSION})$`);

/** `unreadable`: the range or the version is none; whoever asks must not take it for a fit. */
export type SchemaFit = 'fits' | 'outside' | 'unreadable';

export function schemaFits(range: SchemaRange, version: string): SchemaFit {
  const comparisons = range
    .trim()
    .replace(/([<>=])\s+/g, '$1')
    .split(/[\s,]+/)
    .map((text) => COMPARISON.exec(text));
  if (!new RegExp(`^${VERSION}$`).test(version.trim())) return 'unreadable';
  if (comparisons.includes(null)) return 'unreadable';
  return comparisons.every((found) => holds(found?.[1] ?? '=', compareVersions(version.trim(), found?.[2] ?? ''))) ? 'fits' : 'outside';
}

function holds(comparison: string, order: number): boolean {
  switch (comparison) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      return order === 0;
  }
}

/** `38` and `38.0` are the same. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    // Of up to 18 digits: more than a double holds.
    const [x, y] = [BigInt(left[i] ?? 0), BigInt(right[i] ?? 0)];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
