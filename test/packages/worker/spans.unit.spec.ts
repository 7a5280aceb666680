// The spans of attempts, with the real OpenTelemetry behind them.
import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, it } from 'vitest';
import type { Client } from '@jobwarden/client';
import type { SpanOf } from '@jobwarden/worker';
import { openTelemetry } from '@jobwarden/worker/opentelemetry';
import { createOutbox } from '@jobwarden/worker/outbox';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';

const exporter = new InMemorySpanExporter();
const tracer = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).getTracer('test');
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PRODUCER = `00-${TRACE}-b7ad6b7169203331-01`;
const EARLIER = `00-${TRACE}-00f067aa0ba902b7-01`;
const of: SpanOf = { queue: 'emails', id: '7', attempt: 2, kind: 'welcome', worker: 'w', trace: { traceparent: PRODUCER, tracestate: 'a=1, b=2' } };

function spanned(more: Partial<SpanOf> = {}, relation: 'child' | 'link' = 'child') {
  exporter.reset();
  const span = openTelemetry({ tracer, relation }).begin({ ...of, ...more });
  span.end({ outcome: 'succeeded' });
  return { own: span.trace, span: exporter.getFinishedSpans()[0]! };
}

describe('the span of an attempt', () => {
  it('is a child of whoever queued the job, linked to the attempt before, and hands its own context on', () => {
    const { own, span } = spanned({ trace: { ...of.trace, previous: EARLIER } });
    expect(span).toMatchObject({
      name: 'process emails',
      parentSpanContext: { traceId: TRACE, spanId: 'b7ad6b7169203331', isRemote: true },
      attributes: { 'messaging.destination.name': 'emails', 'messaging.message.id': '7', 'jobwarden.attempt': 2, 'jobwarden.outcome': 'succeeded' },
      links: [{ context: { traceId: TRACE, spanId: '00f067aa0ba902b7' } }],
    });
    expect(own).toEqual({ traceparent: `00-${TRACE}-${span.spanContext().spanId}-01`, tracestate: 'a=1,b=2' });
    expect(span.spanContext().traceState?.set('c', '3').unset('a').serialize()).toBe('c=3,b=2');
  });

  it('is a trace of its own, linked to the producer’s, where that is asked for', () => {
    const { span } = spanned({}, 'link');
    expect(span.parentSpanContext).toBeUndefined();
    expect(span.spanContext().traceId).not.toBe(TRACE);
    expect(span.links).toMatchObject([{ context: { traceId: TRACE, spanId: 'b7ad6b7169203331' } }]);
  });

  it('is a child of what is active within the job’s own trace, and only linked to what is active outside of it', () => {
    const within = tracer.startSpan('consume', {}, trace.setSpanContext(context.active(), { traceId: TRACE, spanId: 'b7ad6b7169203331', traceFlags: 1 }));
    const first = context.with(trace.setSpan(context.active(), within), () => spanned());
    expect(first.span.parentSpanContext?.spanId).toBe(within.spanContext().spanId);
    expect(first.span.links).toMatchObject([{ context: { spanId: 'b7ad6b7169203331' } }]);

    const elsewhere = tracer.startSpan('poll');
    const second = context.with(trace.setSpan(context.active(), elsewhere), () => spanned());
    expect(second.span.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(second.span.links).toMatchObject([{ context: { spanId: elsewhere.spanContext().spanId } }]);
  });

  it('is sampled as its trace is', () => {
    expect(spanned({ trace: { traceparent: PRODUCER.replace(/01$/u, '00') } })).toMatchObject({ span: undefined, own: { traceparent: expect.stringMatching(/-00$/u) as string } });
  });

  it.each(['nonsense', PRODUCER.toUpperCase(), `${PRODUCER}-more`, `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `ff${PRODUCER.slice(2)}`, PRODUCER.slice(0, -1)])(
    'begins anew where the trace context is %s',
    (traceparent) => {
      const { span } = spanned({ trace: { traceparent } });
      expect(span).toMatchObject({ links: [] });
      expect(span.parentSpanContext).toBeUndefined();
    },
  );

  it('reads a later version of the trace context as far as it is known', () => {
    expect(spanned({ trace: { traceparent: `cc${PRODUCER.slice(2)}-what-ever` } }).span.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  });

  it('learns from a claim which attempt it is, and what it follows', () => {
    exporter.reset();
    const span = openTelemetry({ tracer }).begin({ ...of, trace: {} });
    span.granted({ attempt: 3, kind: 'welcome', trace: { traceparent: PRODUCER, previous: EARLIER } });
    span.end({ outcome: 'failed', error: new TypeError('no') });
    const links = [{ context: { spanId: 'b7ad6b7169203331' } }, { context: { spanId: '00f067aa0ba902b7' } }];
    const attributes = { 'jobwarden.attempt': 3, 'jobwarden.outcome': 'failed', 'error.type': 'TypeError' };
    expect(exporter.getFinishedSpans()).toMatchObject([{ links, attributes, status: { code: 2, message: 'no' }, events: [{ name: 'exception' }] }]);
  });

  it('is nothing without an SDK, and hands the producer’s context on', async () => {
    const span = openTelemetry().begin({ ...of, trace: {} });
    expect(span.trace).toBeUndefined();
    expect(await span.within(() => Promise.resolve(trace.getSpan(context.active())?.isRecording()))).toBe(false);
    expect(openTelemetry().begin(of).trace?.traceparent).toBe(PRODUCER);
  });
});

describe('the outbox', () => {
  it('keeps the trace context of the transaction, not of whoever relays it, unless another is given', async () => {
    const events: { readonly traceparent?: string }[] = [];
    const tx = { query: (_: string, values: unknown[] = []) => Promise.resolve({ rows: [], seen: events.push(JSON.parse(String(values[3])) as object) }) };
    const outbox = createOutbox({ pool: tx as never, client: { namespace: 'default' } as Client });
    const active = tracer.startSpan('order');
    await context.with(trace.setSpan(context.active(), active), async () => {
      await outbox.queued(tx, { queue: 'q', id: '1' });
      await outbox.queued(tx, { queue: 'q', id: '2', traceparent: PRODUCER });
    });
    await outbox.queued(tx, { queue: 'q', id: '3' });
    const { traceId, spanId } = active.spanContext();
    expect(events.map(({ traceparent }) => traceparent)).toEqual([`00-${traceId}-${spanId}-01`, PRODUCER, undefined]);
  });
});
