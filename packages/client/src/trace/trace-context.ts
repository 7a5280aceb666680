/** W3C trace context, as it travels with a job. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** A later version may add parts, and nobody needs to read more of them than this. */
const MOST_CHARS = 1_024;
/** What W3C asks everybody to carry at least; more is left out. */
const MOST_STATE_CHARS = 512;
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/u;
const PRINTABLE = /^[\t\u0020-\u007e]+$/u;

/** The part of a span's context of OpenTelemetry that travels. */
export interface SpanIdentity {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: { serialize(): string } | undefined;
}

/** As it travels; null: it is no span's, as where nothing is traced. */
export function traceOfSpan({ traceId, spanId, traceFlags, traceState }: SpanIdentity): TraceContext | null {
  return readTrace(`00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`, traceState?.serialize());
}

/**
 * Reads what somebody sent as trace context; null: it is none, and a new trace begins. By the rules of W3C: lower case, the
 * exact length in version 00, no identity of zeros; of a later version the parts that are known, as version 00.
 */
export function readTrace(traceparent: unknown, tracestate?: unknown): TraceContext | null {
  if (typeof traceparent !== 'string' || traceparent.length > MOST_CHARS) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/u.test(traceId) || /^0+$/u.test(spanId)) return null;
  const known = version === '00' ? flags : (Number.parseInt(flags, 16) & 1) === 1 ? '01' : '00';
  const state = typeof tracestate === 'string' && tracestate.length <= MOST_STATE_CHARS && PRINTABLE.test(tracestate) ? tracestate : null;
  return { traceparent: `00-${traceId}-${spanId}-${known}`, ...(state !== null && { tracestate: state }) };
}
