import { hash } from 'node:crypto';
import { bytesOver } from '../limits.js';
import { isObject, setOwn, type JsonObject } from '../json.js';
import type { Body, BodyRole } from './parsed-event.js';

/** `data` as the log keeps it, and what goes beside it. */
export interface Split {
  readonly data: JsonObject;
  readonly bodies: readonly Body[];
}

const NONE: readonly Body[] = [];

/**
 * Takes payload, snapshot and stack out of `data` and leaves `{hash, bytes}` in their place. A message beyond
 * `messageBytes` is cut in the log, so that rows stay small, and kept whole as a body (`messageBody`). `jsonText`: of the
 * payload or the snapshot, where it is known; else it is written as `JSON.stringify` does.
 */
export function splitBodies(data: JsonObject, kind: string, messageBytes: number, jsonText?: string): Split {
  if (kind === 'queued' && data['payload'] !== undefined) {
    const payload = textBody('payload', jsonText ?? JSON.stringify(data['payload']));
    return { data: replaced(data, { payload: refOf(payload) }), bodies: [payload] };
  }
  return kind === 'failed' ? splitFailed(data, messageBytes, jsonText) : { data, bodies: NONE };
}

function splitFailed(data: JsonObject, messageBytes: number, jsonText: string | undefined): Split {
  const bodies: Body[] = [];
  const changes: JsonObject = {};
  if (data['payloadSnapshot'] !== undefined) {
    const snapshot = textBody('snapshot', jsonText ?? JSON.stringify(data['payloadSnapshot']));
    bodies.push(snapshot);
    changes['payloadSnapshot'] = refOf(snapshot);
  }
  const error = data['error'];
  if (isObject(error)) {
    const kept = splitError(error, messageBytes, bodies);
    if (kept !== undefined) changes['error'] = kept;
  }
  return bodies.length === 0 ? { data, bodies: NONE } : { data: replaced(data, changes), bodies };
}

function splitError(error: JsonObject, messageBytes: number, bodies: Body[]): JsonObject | undefined {
  const changes: JsonObject = {};
  if (typeof error['stack'] === 'string') {
    const stack = textBody('stack', error['stack']);
    bodies.push(stack);
    changes['stack'] = refOf(stack);
  }
  if (typeof error['message'] === 'string' && bytesOver(error['message'], messageBytes) !== undefined) {
    const message = textBody('message', error['message']);
    bodies.push(message);
    changes['message'] = `${cutToBytes(error['message'], messageBytes)}… [${message.bytes.length} bytes in all]`;
    changes['messageBody'] = refOf(message);
  }
  return Object.keys(changes).length === 0 ? undefined : replaced(error, changes);
}

function replaced(data: JsonObject, changes: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(data)) setOwn(copy, key, data[key]);
  for (const key of Object.keys(changes)) copy[key] = changes[key];
  return copy;
}

function refOf(body: Body): { hash: string; bytes: number } {
  return { hash: body.hash, bytes: body.bytes.length };
}

function textBody(role: BodyRole, text: string): Body {
  return { role, hash: hash('sha256', text, 'hex'), bytes: Buffer.from(text, 'utf8') };
}

/** The longest start of `text` within `limit` bytes of UTF-8, never half a character. */
function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, 'utf8');
  let end = Math.min(limit, bytes.length);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
