import type { IHeaders, KafkaMessage, Message } from 'kafkajs';

/** UTF-8 as it is, and other bytes in base64. */
type Bytes = string | { readonly base64: string };

/** By name. */
type Carried = Readonly<Record<string, Bytes | readonly Bytes[]>>;

/**
 * A record as Jobwarden keeps it, to be put back with: key, headers, and the value in one of three forms. Without any of
 * them it is null.
 */
export interface RecordPayload {
  readonly key?: Bytes;
  readonly headers?: Carried;
  /** The value, where it is JSON that comes out of a parser as it went in. */
  readonly json?: unknown;
  readonly text?: string;
  readonly base64?: string;
}

/** A record that is larger is not handed to Jobwarden. Half of what it takes in one event, for all that comes on top. */
export const LARGEST_BYTES = 524_288;

/** Jobwarden takes 32 levels; some are ours. */
const DEEPEST = 24;

/** Null: it is too large. */
export function payloadOf({ key, value, headers }: KafkaMessage): RecordPayload | null {
  if ((value?.length ?? 0) + (key?.length ?? 0) > LARGEST_BYTES) return null;
  const carried = carriedHeaders(headers);
  const payload = { ...(key !== null && { key: bytesOf(key) }), ...valueOf(value), ...(carried !== null && { headers: carried }) };
  return Buffer.byteLength(JSON.stringify(payload)) > LARGEST_BYTES ? null : payload;
}

/** The record again. A payload of another shape, such as that of a job which never was a record, is a JSON value. */
export function messageOf(payload: unknown): Pick<Message, 'key' | 'value' | 'headers'> & { readonly headers: IHeaders } {
  if (!isRecordPayload(payload)) return { value: JSON.stringify(payload), headers: {} };
  const { key, headers = {} } = payload;
  return {
    ...(key !== undefined && { key: rawOf(key) }),
    value: rawValue(payload),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isMany(value) ? value.map(rawOf) : rawOf(value)])),
  };
}

const FIELDS: ReadonlySet<string> = new Set(['key', 'headers', 'json', 'text', 'base64']);

function isRecordPayload(payload: unknown): payload is RecordPayload {
  return typeof payload === 'object' && payload !== null && !Array.isArray(payload) && Object.keys(payload).every((field) => FIELDS.has(field));
}

function rawValue(payload: RecordPayload): Buffer | string | null {
  if ('json' in payload) return JSON.stringify(payload.json);
  if (payload.text !== undefined) return payload.text;
  return payload.base64 === undefined ? null : Buffer.from(payload.base64, 'base64');
}

function valueOf(value: Buffer | null): Pick<RecordPayload, 'json' | 'text' | 'base64'> {
  if (value === null) return {};
  const bytes = bytesOf(value);
  if (typeof bytes !== 'string') return bytes;
  const json = jsonOf(bytes);
  return json === undefined ? { text: bytes } : { json };
}

/** A number of more digits than fit would come back as another: such a value stays text, and so does one that is too deep. */
function jsonOf(text: string): unknown {
  if (/\d{16}/u.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/gu, ''))) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return depthOf(value) > DEEPEST ? undefined : value;
  } catch {
    return undefined;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function carriedHeaders(headers: IHeaders | undefined): Carried | null {
  const entries = Object.entries(headers ?? {}).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, Array.isArray(value) ? value.map(bytesOf) : bytesOf(value)] as const];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

function bytesOf(raw: Buffer | string): Bytes {
  const buffer = Buffer.from(raw);
  const text = buffer.toString();
  return Buffer.from(text).equals(buffer) ? text : { base64: buffer.toString('base64') };
}

function rawOf(bytes: Bytes): Buffer | string {
  return typeof bytes === 'string' ? bytes : Buffer.from(bytes.base64, 'base64');
}

function isMany(value: Bytes | readonly Bytes[]): value is readonly Bytes[] {
  return Array.isArray(value);
}
