import { afterSpace, closingQuote, endOfValue, keyOf, type Span } from './json-text.js';

/** The text of an object's member; undefined where it has none of that name, or the text is no object. */
export function memberText(text: string, name: string): string | undefined {
  const at = afterSpace(text, 0);
  const span = text.charCodeAt(at) === 0x7b ? memberSpan(text, at, [name]) : undefined;
  return span === undefined ? undefined : text.slice(span.from, span.to);
}

interface Search {
  readonly found: Span | undefined;
  readonly end: number;
}

/**
 * Where the value at `path` stands in the object that begins at `at`: the last one of keys that occur twice, as
 * `JSON.parse` has it. One pass, which looks into the objects on the way and skips all others. undefined: nothing is there.
 */
export function memberSpan(text: string, at: number, path: readonly string[]): Span | undefined {
  return search(text, at, path, 0).found;
}

function search(text: string, at: number, path: readonly string[], level: number): Search {
  let found: Span | undefined;
  let i = afterSpace(text, at + 1);
  if (text.charCodeAt(i) === 0x7d) return { found, end: i + 1 };
  for (;;) {
    const key = { from: i, to: closingQuote(text, i) + 1 };
    const from = afterSpace(text, afterSpace(text, key.to) + 1);
    if (isKey(text, key, path[level] ?? '')) {
      if (level + 1 < path.length && text.charCodeAt(from) === 0x7b) ({ found, end: i } = search(text, from, path, level + 1));
      else {
        i = endOfValue(text, from);
        found = level + 1 === path.length ? { from, to: i } : undefined;
      }
    } else i = endOfValue(text, from);
    i = afterSpace(text, i);
    if (text.charCodeAt(i) !== 0x2c) return { found, end: i + 1 };
    i = afterSpace(text, i + 1);
  }
}

/** A key that is written with escapes is longer than its name. */
function isKey(text: string, key: Span, name: string): boolean {
  const inner = key.to - key.from - 2;
  if (inner === name.length) return text.startsWith(name, key.from + 1);
  return inner > name.length && keyOf(text, key) === name;
}
