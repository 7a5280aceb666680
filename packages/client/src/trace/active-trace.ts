import { createRequire } from 'node:module';
import type * as OpenTelemetry from '@opentelemetry/api';
import { traceOfSpan, type TraceContext } from './trace-context.js';

/** The part of `@opentelemetry/api` that is used: it is looked up, and not needed. */
type Api = Pick<typeof OpenTelemetry, 'context' | 'trace'>;

let found: Api | null | undefined;

/**
 * The trace context of the span that is active here, for what is put into a queue; null: none is, or the program has no
 * `@opentelemetry/api`. Never throws.
 */
export function activeTrace(): TraceContext | null {
  found ??= apiOf();
  if (found === null) return null;
  const span = found.trace.getSpanContext(found.context.active());
  return span === undefined ? null : traceOfSpan(span);
}

/** However many copies of it a program has loaded, they share what is active. */
function apiOf(): Api | null {
  try {
    return createRequire(import.meta.url)('@opentelemetry/api') as Api;
  } catch {
    return null;
  }
}
