import { activeTrace, type TraceContext } from '@jobwarden/client';
import type { IHeaders, Message } from 'kafkajs';
import { textOf } from './headers.js';

/**
 * A record with the trace context of the span that is active in its headers, for producers that no instrumentation of
 * OpenTelemetry does that for. As it is where it has one, or nothing is traced.
 */
export function withTrace<M extends Pick<Message, 'headers'>>(message: M): M {
  const trace = textOf(message.headers, 'traceparent') === null ? activeTrace() : null;
  return trace === null ? message : { ...message, headers: { ...message.headers, ...trace } };
}

/** Of whoever wrote the record. */
export function traceOf(headers: IHeaders | undefined): TraceContext | null {
  const traceparent = textOf(headers, 'traceparent');
  const tracestate = textOf(headers, 'tracestate');
  return traceparent === null ? null : { traceparent, ...(tracestate !== null && { tracestate }) };
}
