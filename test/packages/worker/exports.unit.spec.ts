// What the library hands to prom-client and to OpenTelemetry, with the real ones behind it.
import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { workerMetrics } from '@jobwarden/worker/metrics';
import { openTelemetry } from '@jobwarden/worker/opentelemetry';

describe('the metrics of a worker', () => {
  it('count what has ended by the names of the service, within a bound of queues', async () => {
    const register = new Registry();
    const metrics = workerMetrics({ register, maxQueues: 2 });
    metrics.ended('emails', 'succeeded');
    metrics.ended('emails', 'failed');
    for (const queue of ['reports', 'one', 'more']) metrics.ended(queue, 'failed');
    workerMetrics({ register }).ended('emails', 'succeeded');
    const text = await register.metrics();
    expect(text).toContain('worker_jobs_processed_total{queue="emails",status="succeeded"} 2');
    expect(text).toContain('worker_jobs_processed_total{queue="emails",status="failed"} 1');
    expect(text).toContain('worker_jobs_failed_total{queue="other"} 2');
  });
});

describe('the span of an attempt', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer = provider.getTracer('test');
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const of = { queue: 'emails', id: '7', attempt: 2, kind: 'welcome', worker: 'w', traceparent };

  it('is linked to the producer’s, says how it ended, and hands its own context on', async () => {
    exporter.reset();
    const seen = await openTelemetry({ tracer }).attempt(of, (own) => Promise.resolve({ end: { outcome: 'succeeded' }, value: own }));
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({
      name: 'process emails',
      attributes: { 'messaging.destination.name': 'emails', 'messaging.message.id': '7', 'jobwarden.attempt': 2, 'jobwarden.outcome': 'succeeded' },
      links: [{ context: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' } }],
    });
    const { traceId, spanId } = span!.spanContext();
    expect(traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
    expect(seen).toBe(`00-${traceId}-${spanId}-01`);
  });

  it('of a failure has the error, and a broken traceparent no link', async () => {
    exporter.reset();
    await openTelemetry({ tracer }).attempt({ ...of, traceparent: 'nonsense' }, () => Promise.resolve({ end: { outcome: 'failed', error: new TypeError('no') }, value: 1 }));
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ links: [], status: { code: 2, message: 'no' }, events: [{ name: 'exception' }] });
  });

  it('is nothing without an SDK', async () => {
    expect(openTelemetry().current()).toBeUndefined();
    expect(await openTelemetry().attempt(of, (own) => Promise.resolve({ end: { outcome: 'succeeded' }, value: own }))).toBeUndefined();
    expect(trace.getSpan(context.active())).toBeUndefined();
  });
});
