import { setTimeout as delay } from 'node:timers/promises';
import { createClient, createEmitter } from '@jobwarden/client';
import { createWorker } from '@jobwarden/worker';

/**
 * A fleet in one process: `fleet-process.js URL QUEUE watched|bare LEASE_MS`. It begins some long runs, and then one short job
 * after the other at each of its places. Says `done N` each second; on SIGTERM its long runs end too, and it says what it
 * has seen as JSON. `bare` does the same work and tells nobody.
 */
const [url = '', queue = '', how = '', lease = ''] = process.argv.slice(2);
const PLACES = 10;
const LONG_RUNS = 5;
const SHORT_MS = 250;
const BUFFER = { maxEvents: 20_000, maxBytes: 8 * 1_048_576 };

const watched = how === 'watched';
const client = createClient({ url });
const quiet = { info: () => undefined, warn: () => undefined };
const emitter = createEmitter({ client, source: `fleet-${how}`, buffer: BUFFER, logger: quiet });
const worker = createWorker({ client, emitter, id: `fleet-${how}`, leaseMs: Number(lease), logger: quiet });
const ending = new AbortController();
process.once('SIGTERM', () => ending.abort());

let done = 0;
let mostBytes = 0;
let jobs = 0;

async function run(work: () => Promise<void>): Promise<void> {
  jobs += 1;
  if (!watched) {
    await work();
    return;
  }
  const id = `job-${String(jobs)}`;
  await worker.queued({ queue, id, whenPaused: 'ignore' });
  const result = await worker.run({ queue, id }, work);
  if (result.kind !== 'succeeded') throw new Error(`${id} ended as ${JSON.stringify(result)}`);
}

async function place(): Promise<void> {
  while (!ending.signal.aborted) {
    await run(() => delay(SHORT_MS));
    done += 1;
  }
}

const untilTheEnd = () => new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve(), { once: true }));
const telling = setInterval(() => {
  mostBytes = Math.max(mostBytes, emitter.stats().bufferedBytes);
  console.log(`done ${String(done)}`);
}, 1_000);
await Promise.all([...Array.from({ length: LONG_RUNS }, () => run(untilTheEnd)), ...Array.from({ length: PLACES }, place)]);
clearInterval(telling);
await worker.drain();
await emitter.close(30_000);
const { dropped, buffered } = emitter.stats();
console.log(JSON.stringify({ jobs, dropped, buffered, mostBytes, boundBytes: BUFFER.maxBytes, rss: process.memoryUsage.rss() }));
