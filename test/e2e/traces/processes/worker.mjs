// Runs one attempt of a job under a lease: the first one at once, a later one when its command comes. Says when it begins,
// and hangs in the attempts that its settings name, until it is killed.
import { NodeSDK } from '@opentelemetry/sdk-node';
import { createClient, readCommands } from '@jobwarden/client';
import { createWorker } from '@jobwarden/worker';
import { openTelemetry } from '@jobwarden/worker/opentelemetry';
import { setTimeout as delay } from 'node:timers/promises';

const { queue, id, name, traceparent, hangs = [], commands = false } = JSON.parse(process.env.SETTINGS);
const sdk = new NodeSDK({ metricReaders: [], logRecordProcessors: [] });
sdk.start();

const client = createClient();
const worker = createWorker({ client, id: name, leaseMs: 600, claims: true, tracing: openTelemetry() });
const ended = new AbortController();

async function run(spec) {
  const { kind } = await worker.run(spec, async ({ attempt, signal }) => {
    process.stdout.write(`running ${attempt}\n`);
    if (hangs.includes(attempt)) await delay(2 ** 31 - 1, undefined, { signal });
  });
  process.stdout.write(`ended ${kind}\n`);
  ended.abort();
}

if (commands) {
  await readCommands({
    ...{ client, queues: [queue], from: 'start', signal: ended.signal },
    onEnqueue: ({ subject, traceparent: of, tracestate, data }) => run({ queue, id: subject, command: data, ...(of && { traceparent: of }), ...(tracestate && { tracestate }) }),
  });
} else {
  await run({ queue, id, ...(traceparent && { traceparent }) });
}
await worker.drain();
await sdk.shutdown();
