import type { ToldSpan, Traces } from '#libs/application';
import type { TraceContext } from '#libs/contracts';
import { ROOT_CONTEXT, SpanKind, trace, TraceFlags, type Context, type SpanContext, type Tracer } from '@opentelemetry/api';

/** Spans of the service by the SDK that runs in this process. */
export function openTelemetryTraces(tracer: Tracer = trace.getTracer('jobwarden')): Traces {
  return {
    now: () => performance.now(),
    tell: (span, since) => {
      try {
        told(tracer, span, since);
      } catch {
        // Whatever is wrong with the collection is never the service's.
      }
    },
  };
}

const KINDS = { internal: SpanKind.INTERNAL, consumer: SpanKind.CONSUMER, producer: SpanKind.PRODUCER } as const;

function told(tracer: Tracer, { name, kind, parent, links = [], attributes }: ToldSpan, since: number): void {
  const options = {
    kind: KINDS[kind],
    startTime: since,
    attributes,
    links: links.map((link) => ({ context: spanContextOf(link) })),
  };
  tracer.startSpan(name, options, contextOf(parent)).end(performance.now());
}

/** Nothing that happens to be active here: what is told was done for the job. */
function contextOf(parent: TraceContext | null): Context {
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));
}

function spanContextOf({ traceId, spanId, sampled }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}
