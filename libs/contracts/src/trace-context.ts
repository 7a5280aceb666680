/** W3C trace context that may be followed. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: of the span that is meant. */
  readonly spanId: string;
  /** Whether the spans of this trace are kept. */
  readonly sampled: boolean;
  /** As version 00, whatever version it came as. */
  readonly traceparent: string;
  readonly tracestate?: string;
}

const MOST_CHARS = 1_024;
const MOST_STATE_CHARS = 512;
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/u;
const PRINTABLE = /^[\t\u0020-\u007e]+$/u;

/**
 * Reads what an emitter told as its trace context; null: it is none. By the rules of W3C: lower case, the exact length in
 * version 00, no identity of zeros, of a later version the parts that are known. `@jobwarden/client` has the same for those
 * who send it.
 */
export function readTrace(traceparent: string | undefined, tracestate?: string): TraceContext | null {
  if (traceparent === undefined || traceparent.length > MOST_CHARS) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/u.test(traceId) || /^0+$/u.test(spanId)) return null;
  const sampled = (Number.parseInt(flags, 16) & 1) === 1;
  const known = version === '00' ? flags : sampled ? '01' : '00';
  const state = tracestate !== undefined && tracestate.length <= MOST_STATE_CHARS && PRINTABLE.test(tracestate);
  return { traceId, spanId, sampled, traceparent: `00-${traceId}-${spanId}-${known}`, ...(state && { tracestate }) };
}
