import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { context, trace, type Tracer } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { openTelemetryTraces } from './traces.js';

const exporter = new InMemorySpanExporter();
const traces = openTelemetryTraces(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).getTracer('test'));
const parent = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', sampled: true, traceparent: '' };
const span = { name: 'decide requeued', kind: 'internal', parent, attributes: { 'jobwarden.attempt': 2 } } as const;

describe('a span of the service', () => {
  it('is of the trace of its parent, with its links, and lasts from when it began', () => {
    exporter.reset();
    traces.tell({ ...span, links: [{ ...parent, spanId: '00f067aa0ba902b7' }] }, traces.now() - 50);
    const [told] = exporter.getFinishedSpans();
    expect(told).toMatchObject({ name: 'decide requeued', parentSpanContext: { spanId: parent.spanId }, links: [{ context: { spanId: '00f067aa0ba902b7' } }] });
    expect(told?.spanContext().traceId).toBe(parent.traceId);
    const [seconds = 0, nanos = 0] = told?.duration ?? [];
    expect(seconds * 1_000 + nanos / 1e6).toBeGreaterThanOrEqual(50);
  });

  it('is kept where its parent is, and a trace of its own without one, whatever is active', () => {
    exporter.reset();
    traces.tell({ ...span, parent: { ...parent, sampled: false } }, traces.now());
    expect(exporter.getFinishedSpans()).toEqual([]);
    context.with(trace.setSpanContext(context.active(), { ...parent, traceFlags: 1 }), () => traces.tell({ ...span, parent: null }, traces.now()));
    expect(exporter.getFinishedSpans()[0]?.parentSpanContext).toBeUndefined();
  });

  it('is no trouble of the service’s where it cannot be told', () => {
    const broken = { startSpan: () => { throw new Error('no'); } } as unknown as Tracer;
    expect(() => openTelemetryTraces(broken).tell(span, 0)).not.toThrow();
  });
});
