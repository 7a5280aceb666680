// Puts one job into a queue within a span, and ends. What it queues comes as JSON.
import { trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { createClient, createEmitter } from '@jobwarden/client';

const { queue, id, payload } = JSON.parse(process.env.SETTINGS);
const sdk = new NodeSDK({ metricReaders: [], logRecordProcessors: [] });
sdk.start();

const emitter = createEmitter({ client: createClient(), source: 'shop' });
await trace.getTracer('shop').startActiveSpan('order', async (span) => {
  const answer = await emitter.ask({ type: 'queued', queue, jobId: id, data: { payload } });
  process.stdout.write(`queued ${answer?.outcome} ${span.spanContext().traceId} ${span.spanContext().spanId}\n`);
  span.end();
});
await emitter.close();
await sdk.shutdown();
