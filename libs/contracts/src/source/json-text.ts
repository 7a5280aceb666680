/**
 * Places in JSON text, found without reading its values. All of it takes text that `JSON.parse` has taken: on anything
 * else the places mean nothing.
 */

/** Half open: the text is `slice(from, to)`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Index of the closing quote; the text's end where there is none. `open` is that of the opening one. */
export function closingQuote(text: string, open: number): number {
  let end = text.indexOf('"', open + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

/** The first index at or after `at` that is no white space. */
export function afterSpace(text: string, at: number): number {
  let i = at;
  for (let unit = text.charCodeAt(i); unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09; unit = text.charCodeAt(i)) i += 1;
  return i;
}

/** Where the value that begins at `at` ends. */
export function endOfValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return closingQuote(text, at) + 1;
  return first === 0x7b || first === 0x5b ? endOfContainer(text, at) : endOfWord(text, at);
}

function endOfContainer(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) i = closingQuote(text, i);
    else if (unit === 0x7b || unit === 0x5b) depth += 1;
    else if (unit === 0x7d || unit === 0x5d) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return text.length;
}

/** A number, or a name such as `true`: up to white space, comma or bracket. */
function endOfWord(text: string, at: number): number {
  let i = at;
  for (let unit = text.charCodeAt(i); unit > 0x20 && unit !== 0x2c && unit !== 0x7d && unit !== 0x5d; unit = text.charCodeAt(i)) i += 1;
  return i;
}

/** The key that stands at `from` up to `to`, quotes included. */
export function keyOf(text: string, { from, to }: Span): string {
  const inner = text.slice(from + 1, to - 1);
  return inner.includes('\\') ? (JSON.parse(text.slice(from, to)) as string) : inner;
}
