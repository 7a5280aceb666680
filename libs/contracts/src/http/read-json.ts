import { parseExactly } from '../json.js';
import { elementTexts, wholeText, type EventText } from '../parse/event-text.js';
import { afterSpace, closingQuote, type Span } from '../source/json-text.js';

/** What a look at JSON text tells before it is parsed. */
export interface Scan {
  /** Objects and arrays inside each other. */
  readonly depth: number;
  /** Holds a run of digits that a double may not keep. */
  readonly longNumbers: boolean;
  /** Of an array: where the objects and arrays in it stand, in their order. */
  readonly elements: readonly Span[];
}

const NO_ELEMENTS: readonly Span[] = [];

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
  const elements: Span[] | undefined = isArray(text) ? [] : undefined;
  let from = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x30 && unit <= 0x39) {
      digits += 1;
      if (digits > EXACT_DIGITS) longNumbers = true;
      continue;
    }
    digits = 0;
    if (unit === 0x22) i = closingQuote(text, i);
    else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (depth === 2) from = i;
    } else if (unit === 0x7d || unit === 0x5d) {
      if (depth === 2) elements?.push({ from, to: i + 1 });
      depth -= 1;
    }
  }
  return { depth: deepest, longNumbers, elements: elements ?? NO_ELEMENTS };
}

function isArray(text: string): boolean {
  return text.charCodeAt(afterSpace(text, 0)) === 0x5b;
}

/**
 * `JSON.parse` that keeps the digits of integers beyond 2⁵³: for whatever becomes an event. Of keys that occur twice the last one counts, for validation, hash, redaction and storage alike;
 * `__proto__` is a key like any other. Throws SyntaxError.
 */
export function parseJson(text: string, scan: Scan = scanJson(text)): unknown {
  return scan.longNumbers ? parseExactly(text) : JSON.parse(text);
}

export interface JsonEvents {
  readonly events: readonly unknown[];
  readonly texts: readonly (EventText | undefined)[];
}

/** The event or events that the text is, each with where it stands, for {@link parseEvent}. Throws SyntaxError. */
export function jsonEvents(text: string): JsonEvents {
  const scan = scanJson(text);
  const value = parseJson(text, scan);
  if (!Array.isArray(value)) return { events: [value], texts: [wholeText(text, 'event')] };
  return { events: value, texts: elementTexts(text, value, scan.elements) };
}
