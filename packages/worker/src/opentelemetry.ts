import {
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { SpanEnd, SpanOf, Tracing } from './hooks.js';

/**
 * A span per attempt (`process <queue>`, kind consumer), linked to whoever queued the job, which may have been days ago:
 * as a child it would stretch that trace. Names of attributes are those of OpenTelemetry's messaging conventions where
 * there is one. Without an SDK nothing is recorded, and it costs next to nothing.
 */
export function openTelemetry({ tracer = trace.getTracer('@jobwarden/worker') }: { readonly tracer?: Tracer } = {}): Tracing {
  return {
    current: () => traceparentOf(context.active()),
    async attempt(of, work) {
      const span = tracer.startSpan(`process ${of.queue}`, { kind: SpanKind.CONSUMER, attributes: attributesOf(of), links: linksOf(of) });
      const inside = trace.setSpan(context.active(), span);
      try {
        const { end, value } = await context.with(inside, () => work(traceparentOf(inside)));
        settle(span, end);
        return value;
      } catch (error) {
        settle(span, { outcome: 'failed', error });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

function attributesOf({ queue, id, attempt, kind, worker }: SpanOf): Record<string, string | number> {
  return {
    'messaging.system': 'jobwarden',
    'messaging.operation.type': 'process',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
    'jobwarden.attempt': attempt,
    'jobwarden.worker': worker,
    ...(kind !== undefined && { 'jobwarden.kind': kind }),
  };
}

function linksOf({ traceparent }: SpanOf) {
  if (traceparent === undefined) return [];
  const of = trace.getSpanContext(propagation.extract(context.active(), { traceparent }, defaultTextMapGetter)) ?? contextOf(traceparent);
  return of === undefined ? [] : [{ context: of }];
}

/** Where no propagator is set, as without an SDK's: read by hand. */
function contextOf(traceparent: string) {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/u.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function traceparentOf(of: Context): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(of, carrier, defaultTextMapSetter);
  if (carrier.traceparent !== undefined) return carrier.traceparent;
  const span = trace.getSpanContext(of);
  if (span === undefined || !trace.isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

function settle(span: Span, { outcome, error, reason }: SpanEnd): void {
  span.setAttribute('jobwarden.outcome', outcome);
  if (reason !== undefined) span.setAttribute('jobwarden.reason', reason);
  if (outcome !== 'failed') return;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  span.recordException({ name, message });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
