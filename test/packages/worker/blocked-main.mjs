// A worker whose handler blocks the event loop. `blocked-main.mjs <jobwarden> <thread: true|false> <block ms>`
import { createClient } from '@jobwarden/client';
import { createWorker } from '@jobwarden/worker';

const [url, thread, blockMs] = process.argv.slice(2);
const worker = createWorker({ client: createClient({ url }), id: `blocked-${thread}`, leaseMs: 1_000, thread: thread === 'true' });
const id = `blocked-${thread}`;
await worker.queued({ queue: 'q', id });
const result = await worker.run({ queue: 'q', id }, () => {
  console.log('blocked');
  const until = performance.now() + Number(blockMs);
  while (performance.now() < until);
});
console.log(`ended ${result.kind}`);
await worker.drain();
