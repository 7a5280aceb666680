import { bytesOver } from '../limits.js';
import { isObject, setOwn, type JsonObject } from '../json.js';
import { isStorable } from './storable.js';

/** Bytes. A traceparent has 55, and a later version of it may have more. */
const TRACEPARENT_BYTES = 255;
/** Bytes. W3C asks everybody to carry at least 512 characters. */
const TRACESTATE_BYTES = 1_024;

/**
 * The event without trace context that could not be kept: whatever an emitter's tracing makes of it is no reason to lose
 * an event. What can be kept is, also where it names no trace; whoever goes by it reads it with `readTrace`.
 */
export function withKeptTrace(input: unknown): unknown {
  if (!isObject(input)) return input;
  const parent = isKept(input['traceparent'], TRACEPARENT_BYTES);
  const state = isKept(input['tracestate'], TRACESTATE_BYTES);
  if (parent && state) return input;
  const kept: JsonObject = {};
  for (const key of Object.keys(input)) {
    if ((key === 'traceparent' && !parent) || (key === 'tracestate' && !state)) continue;
    setOwn(kept, key, input[key]);
  }
  return kept;
}

function isKept(value: unknown, bytes: number): boolean {
  return value === undefined || (typeof value === 'string' && bytesOver(value, bytes) === undefined && isStorable(value));
}
