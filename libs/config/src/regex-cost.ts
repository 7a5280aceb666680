/**
 * A repeat without an upper bound around something that itself repeats a varying number of times, such as
 * `(a+)+`, can take exponential time on a text that almost matches. Redaction patterns run over whatever
 * comes in, so such a pattern would let one event stop the service.
 *
 * Not found: alternatives that overlap (`(a|ab)*`), and two neighbours that can match the same text
 * (`\d+\d+`), which cost the square of the length; the limit on bodies bounds the latter.
 */
export function nestedRepeat(source: string): string | null {
  const groups: Group[] = [{ start: 0, varies: false }];
  let last: Atom = { start: 0, varies: false };
  let index = 0;
  while (index < source.length) {
    const current = groups.at(-1) ?? { start: 0, varies: false };
    const char = source[index] ?? '';
    if (char === '(') {
      groups.push({ start: index, varies: false });
      index += 1;
    } else if (char === ')') {
      groups.pop();
      last = { start: current.start, varies: current.varies };
      index += 1;
      const parent = groups.at(-1);
      if (parent !== undefined && current.varies) parent.varies = true;
    } else {
      const repeat = repeatAt(source, index);
      if (repeat === null) {
        last = { start: index, varies: false };
        index = endOfAtom(source, index);
        continue;
      }
      if (repeat.open && last.varies) return source.slice(last.start, index + repeat.length);
      if (repeat.varies) current.varies = true;
      index += repeat.length;
    }
  }
  return null;
}

interface Atom {
  readonly start: number;
  readonly varies: boolean;
}

interface Group {
  readonly start: number;
  varies: boolean;
}

interface Repeat {
  readonly length: number;
  /** No upper bound. */
  readonly open: boolean;
  /** Can match the same atom more often or less often, by more than being there or not. */
  readonly varies: boolean;
}

function repeatAt(source: string, index: number): Repeat | null {
  const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(index, index + 32));
  if (found === null) return null;
  const [whole, sign, min, comma, max] = found;
  // The `?` of `(?:`, `(?=`, `(?<name>` belongs to the group.
  if (sign === '?' && source[index - 1] === '(' && source[index - 2] !== '\\')
    return { length: 1, open: false, varies: false };
  if (sign !== undefined) return { length: whole.length, open: sign !== '?', varies: sign !== '?' };
  const open = comma === ',' && max === '';
  const most = comma === '' ? Number(min) : Number(max);
  return { length: whole.length, open, varies: open || most - Number(min) > 1 };
}

/** Past an escape, a character class, or one character. */
function endOfAtom(source: string, index: number): number {
  if (source[index] === '\\') return index + 2;
  if (source[index] !== '[') return index + 1;
  let end = index + 1;
  while (end < source.length && source[end] !== ']') end += source[end] === '\\' ? 2 : 1;
  return end + 1;
}
