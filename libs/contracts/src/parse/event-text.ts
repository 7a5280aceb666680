import { isObject, type JsonObject } from '../json.js';
import { afterSpace, type Span } from '../source/json-text.js';
import { memberSpan } from '../source/member-span.js';

/** The JSON text that an event was read from: with it, bodies are kept byte for byte. */
export interface EventText extends Span {
  /** The whole that was sent, such as a batch. */
  readonly text: string;
  /** `data`: only the event's data stands there; its attributes came beside it (binary mode). */
  readonly holds: 'event' | 'data';
}

/** The text of one event that was sent alone, or of its data. */
export function wholeText(text: string, holds: EventText['holds']): EventText {
  return { text, holds, from: afterSpace(text, 0), to: text.trimEnd().length };
}

/** The texts of the values of an array; `spans` are those of the objects and arrays in it. */
export function elementTexts(text: string, values: readonly unknown[], spans: readonly Span[]): readonly (EventText | undefined)[] {
  let next = 0;
  return values.map((value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const span = spans[next];
    next += 1;
    return span === undefined ? undefined : { text, holds: 'event', from: span.from, to: span.to };
  });
}

/** What of `data` is JSON that goes beside the log. */
const BODY_MEMBERS: Readonly<Record<string, string>> = { queued: 'payload', failed: 'payloadSnapshot' };

export function bodyMember(kind: string): string | undefined {
  return BODY_MEMBERS[kind];
}

/** The JSON text of the event's body as it was sent; undefined: it has none, or no text is known. */
export function bodyText(kind: string, data: JsonObject, source: EventText | undefined): string | undefined {
  const member = bodyMember(kind);
  if (source === undefined || member === undefined || data[member] === undefined) return undefined;
  const path = source.holds === 'event' ? ['data', member] : [member];
  const span = memberSpan(source.text, source.from, path);
  return span === undefined ? undefined : source.text.slice(span.from, span.to);
}

/** The whole event as JSON text, as it was sent; undefined where that cannot be put together. */
export function eventText(input: unknown, { text, from, to, holds }: EventText): string | undefined {
  const sent = text.slice(from, to);
  if (holds === 'event') return sent;
  if (!isObject(input)) return undefined;
  const attributes = Object.entries(input).filter(([name]) => name !== 'data');
  const head = attributes.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${[...head, ...(sent === '' ? [] : [`"data":${sent}`])].join(',')}}`;
}
