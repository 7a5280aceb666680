import { DEFAULT_NAMESPACE, type JobRef } from '#libs/domain';
import { unreadableBytes } from '../http/read-http-events.js';
import { parseJson, scanJson } from '../http/read-json.js';
import { setOwn, type JsonObject } from '../json.js';
import type { ParseContext } from '../parse/context.js';
import { wholeText, type EventText } from '../parse/event-text.js';
import { parseEvent } from '../parse/parse-event.js';
import type { ParsedEvent, Unparsed } from '../parse/parsed-event.js';
import { QUARANTINE_REASON, type QuarantineReason } from '../vocabulary.js';

export interface KafkaRecord {
  readonly key: string | null;
  readonly value: Uint8Array | null;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReadRecord {
  /** What {@link parseEvent} got; undefined where the bytes are no JSON. */
  readonly input: unknown;
  readonly parsed: ParsedEvent;
  /** What it was read from; undefined where there is no input. */
  readonly text: EventText | undefined;
}

const PREFIX = 'ce_';
const HARD_NESTING = 256;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads one record: a CloudEvent as JSON (structured mode), or its attributes in `ce_*` headers and `data` as the value
 * (binary mode). Never throws: whatever cannot be read is an {@link Unparsed} with the bytes as they came, pattern
 * rules applied, and holds the verdicts on the job that its key names.
 */
export function readKafkaRecord(record: KafkaRecord, context: ParseContext): ReadRecord {
  const { value, headers } = record;
  if (value === null) return broken(record, context, 'unreadable', 'the record has no value: a topic of events is not compacted');
  const { limits } = context;
  if (value.length > limits.bodyBytes) {
    const detail = `the record has ${value.length} bytes, limits.bodyBytes allows ${limits.bodyBytes}: send the payload as payloadRef, or raise the limit`;
    return broken(record, context, 'too_large', detail);
  }
  let text: string;
  try {
    text = UTF8.decode(value);
  } catch {
    return broken(record, context, 'unreadable', 'the value is not UTF-8');
  }
  const scan = scanJson(text);
  if (scan.depth > HARD_NESTING) {
    return broken(record, context, 'too_large', `objects and arrays lie ${scan.depth} deep in each other, limits.nesting allows ${limits.nesting}: flatten the data`);
  }
  let json: unknown;
  try {
    json = parseJson(text, scan);
  } catch {
    return broken(record, context, 'unreadable', 'the value is not JSON: send a CloudEvent as JSON, or its data with ce_* headers');
  }
  const binary = hasAttributes(headers);
  const input = binary ? structuredOf(headers, json) : json;
  const source = wholeText(text, binary ? 'data' : 'event');
  return { input, parsed: parseEvent(input, context, source), text: source };
}

function hasAttributes(headers: Readonly<Record<string, string>>): boolean {
  return ['ce_specversion', 'ce_type', 'ce_id', 'ce_source'].some((name) => headers[name] !== undefined);
}

/** The structured event that binary mode means. Headers of Kafka are UTF-8 as they stand; only HTTP has to escape them. */
function structuredOf(headers: Readonly<Record<string, string>>, data: unknown): JsonObject {
  const event: JsonObject = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(PREFIX) && name.length > PREFIX.length) setOwn(event, name.slice(PREFIX.length), value);
  }
  if (headers['content-type'] !== undefined) event['datacontenttype'] = headers['content-type'];
  event['data'] = data;
  return event;
}

function broken(record: KafkaRecord, context: ParseContext, reason: QuarantineReason, detail: string): ReadRecord {
  const { bytes } = unreadableBytes(record.value ?? new Uint8Array(), context.redactor);
  const refs = refsOfKey(record.key);
  const parsed: Unparsed = {
    ok: false,
    disposition: 'quarantined',
    reason: QUARANTINE_REASON[reason],
    detail,
    ...(refs[0] !== undefined && { ref: refs[0] }),
    refs,
    bytes,
    redacted: [],
  };
  return { input: undefined, parsed, text: undefined };
}

/** The library's keys are `namespace/queue/id`. A key of another kind names, at worst, a job that is not there. */
function refsOfKey(key: string | null): readonly JobRef[] {
  const match = key === null ? null : /^([^/]*)\/([^/]+)\/(.+)$/su.exec(key);
  if (match === null) return [];
  const [, namespace = '', queue = '', id = ''] = match;
  return [{ namespace: namespace === '' ? DEFAULT_NAMESPACE : namespace, queue, id }];
}
