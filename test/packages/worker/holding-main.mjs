// Holds jobs until it is told to stop. `holding-main.mjs <jobwarden> <queue> <id prefix> <how many>`
import { createClient } from '@jobwarden/client';
import { createWorker } from '@jobwarden/worker';

const [url, queue, prefix, count] = process.argv.slice(2);
const drainOn = process.env.DRAIN_ON === undefined ? [] : [process.env.DRAIN_ON];
const worker = createWorker({ client: createClient({ url }), id: `holds-${prefix}`, leaseMs: Number(process.env.LEASE_MS ?? 1_000), drainOn, drainGraceMs: 100 });
let begun = 0;
const hold = async (id) => {
  const result = await worker.run({ queue, id }, async ({ signal }) => {
    begun += 1;
    if (begun === Number(count)) console.log('holds all');
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  console.log(`${id} ended ${result.kind} ${result.reason ?? ''}`);
};
// A timer of its own: those of the library keep no process alive.
const alive = setInterval(() => undefined, 1_000);
await Promise.all(Array.from({ length: Number(count) }, (_, i) => hold(`${prefix}-${i}`)));
clearInterval(alive);
await worker.drain();
