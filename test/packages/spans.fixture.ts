import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { openTelemetry } from '@jobwarden/worker/opentelemetry';

const exporter = new InMemorySpanExporter();
const tracer = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).getTracer('test');
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** For the workers of a test: their spans are kept here. */
export const tracing = openTelemetry({ tracer });

/** Runs what a producer does within a span of its own. */
export async function produced<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly traceId: string; readonly spanId: string; readonly traceparent: string }> {
  return await tracer.startActiveSpan('produce', async (span) => {
    const value = await work();
    span.end();
    const { traceId, spanId } = span.spanContext();
    return { value, traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
  });
}

/** Spans of attempts in a trace that have ended, oldest first. */
export function attemptsIn(traceId: string): readonly ReadableSpan[] {
  return exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId && span.name.startsWith('process '));
}

/** What a span is a child of, and what it is linked to, as span ids. */
export function kinOf(span: ReadableSpan | undefined): { readonly parent: string | undefined; readonly links: readonly string[] } {
  return { parent: span?.parentSpanContext?.spanId, links: (span?.links ?? []).map((link) => link.context.spanId) };
}

export function spanIdOf(span: ReadableSpan | undefined): string | undefined {
  return span?.spanContext().spanId;
}
