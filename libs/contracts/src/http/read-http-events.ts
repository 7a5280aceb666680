import { DEFAULT_LIMITS, type Limits } from '../limits.js';
import type { Redactor } from '../redaction/redactor.js';
import { hasAttributes, structuredOf, type HttpHeaders } from './binary-mode.js';
import { tooLarge, unreadable, type HttpProblem } from './http-problem.js';
import { bodyForm, type BodyForm, type HttpMode } from './media-type.js';
import { elementTexts, wholeText, type EventText } from '../parse/event-text.js';
import { parseJson, scanJson, type Scan } from './read-json.js';

export interface HttpEventsRequest {
  readonly contentType: string | undefined;
  /** Names in any case. */
  readonly headers: HttpHeaders;
  /** As received; a string is taken for well-decoded UTF-8. */
  readonly body: string | Uint8Array;
}

export type HttpEvents =
  | {
      readonly ok: true;
      readonly mode: HttpMode;
      readonly events: readonly unknown[];
      /** What each event was read from, for {@link parseEvent}. */
      readonly texts: readonly (EventText | undefined)[];
    }
  | { readonly ok: false; readonly problem: HttpProblem };

/**
 * Beyond this depth a body is refused as a whole. Up to it a single event over `limits.nesting` is quarantined by
 * {@link parseEvent}, and the rest of its batch goes in.
 */
const HARD_NESTING = 256;

/**
 * Takes a request apart into events, without looking into them: each goes to {@link parseEvent} next. Pure; a body
 * that cannot be read is a value, not an exception.
 */
export function readHttpEvents(request: HttpEventsRequest, limits: Limits = DEFAULT_LIMITS): HttpEvents {
  const headers = lowerCased(request.headers);
  const form = bodyForm(request.contentType, hasAttributes(headers));
  if (typeof form !== 'string') return { ok: false, problem: form };
  const bytes = typeof request.body === 'string' ? Buffer.byteLength(request.body, 'utf8') : request.body.length;
  if (bytes > limits.bodyBytes) {
    return refused(tooLarge(`the body has ${bytes} bytes`, 'bodyBytes', limits.bodyBytes, 'send fewer events at once'));
  }
  const text = textOf(request.body);
  if (text === undefined) return refused(unreadable('the body is not UTF-8'));
  if (text.trim() === '' && form !== 'binary') return refused(unreadable('the body is empty'));

  const scan = scanJson(text);
  if (scan.depth > HARD_NESTING) {
    const found = `objects and arrays lie ${scan.depth} deep in each other`;
    return refused(tooLarge(found, 'nesting', limits.nesting, 'flatten the data'));
  }
  let value: unknown;
  try {
    if (text.trim() !== '') value = parseJson(text, scan);
  } catch (error) {
    return refused(unreadable(`the body is not JSON${placeIn(error)}`));
  }
  return eventsOf(form, { text, scan, value }, { ...request, headers }, limits);
}

interface ReadText {
  readonly text: string;
  readonly scan: Scan;
  readonly value: unknown;
}

function eventsOf(form: BodyForm, { text, scan, value }: ReadText, request: HttpEventsRequest, limits: Limits): HttpEvents {
  if (form === 'binary') {
    const event = structuredOf(request.headers, request.contentType, value);
    return { ok: true, mode: 'binary', events: [event], texts: [wholeText(text, 'data')] };
  }
  if (!Array.isArray(value)) {
    if (form === 'batch') return refused(unreadable('a batch must be a JSON array'));
    return { ok: true, mode: 'structured', events: [value], texts: [wholeText(text, 'event')] };
  }
  if (form === 'structured') return refused(unreadable('one event must be a JSON object, not an array'));
  if (value.length > limits.batchEvents) {
    const found = `the batch has ${value.length} events`;
    return refused(tooLarge(found, 'batchEvents', limits.batchEvents, 'send it in parts'));
  }
  return { ok: true, mode: 'batch', events: value, texts: elementTexts(text, value, scan.elements) };
}

/**
 * What to keep of a body that could not be read: its bytes as sent, or with what the pattern rules cut. In UTF-16 a NUL stands beside
 * each Latin letter, so text that has any is also searched without them.
 */
export function unreadableBytes(body: string | Uint8Array, redactor: Redactor): { bytes: Uint8Array; cuts: number } {
  const sent = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  if (!redactor.active) return { bytes: sent, cuts: 0 };
  const whole = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const narrow = whole.replaceAll('\0', '');
  const found = redactor.text(whole);
  const hidden = narrow === whole ? found : redactor.text(narrow);
  const { text, cuts } = hidden.cuts > found.cuts ? hidden : found;
  return cuts === 0 ? { bytes: sent, cuts } : { bytes: Buffer.from(text, 'utf8'), cuts };
}

function refused(problem: HttpProblem): HttpEvents {
  return { ok: false, problem };
}

function lowerCased(headers: HttpHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** undefined: not UTF-8. A byte order mark is dropped. */
function textOf(body: string | Uint8Array): string | undefined {
  if (typeof body === 'string') return body.startsWith('\ufeff') ? body.slice(1) : body;
  try {
    return UTF8.decode(body);
  } catch {
    return undefined;
  }
}

/** Only the place: the parser's message quotes the text, which may be what redaction cuts. */
function placeIn(error: unknown): string {
  const place = /at position \d+(?: \(line \d+ column \d+\))?/u.exec(error instanceof Error ? error.message : '');
  return place === null ? '' : ` ${place[0]}`;
}
