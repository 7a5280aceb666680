import { parseExactly } from '../json.js';

/** What a look at JSON text tells before it is parsed. */
export interface Scan {
  /** Objects and arrays inside each other. */
  readonly depth: number;
  /** Holds a run of digits that a double may not keep. */
  readonly longNumbers: boolean;
}

/** A double keeps any integer of 15 digits. */
const EXACT_DIGITS = 15;

/**
 * One pass over the text, without understanding it: broken JSON is left to the parser. Costs about a nanosecond per
 * character; strings are skipped by `indexOf`.
 */
export function scanJson(text: string): Scan {
  let depth = 0;
  let deepest = 0;
  let digits = 0;
  let longNumbers = false;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x30 && unit <= 0x39) {
      digits += 1;
      if (digits > EXACT_DIGITS) longNumbers = true;
      continue;
    }
    digits = 0;
    if (unit === 0x22) i = endOfString(text, i);
    else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (unit === 0x7d || unit === 0x5d) depth -= 1;
  }
  return { depth: deepest, longNumbers };
}

/** Index of the closing quote; the text's end where there is none. */
function endOfString(text: string, open: number): number {
  let end = text.indexOf('"', open + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
  return slashes % 2 === 1;
}

/**
 * `JSON.parse` that keeps the digits of integers beyond 2⁵³: for whatever becomes an event. Of keys that occur twice the last one counts, for validation, hash, redaction and storage alike;
 * `__proto__` is a key like any other. Throws SyntaxError.
 */
export function parseJson(text: string, scan: Scan = scanJson(text)): unknown {
  return scan.longNumbers ? parseExactly(text) : JSON.parse(text);
}
