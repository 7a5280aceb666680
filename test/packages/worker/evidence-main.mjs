// A worker that is asked for what it knows of itself. `evidence-main.mjs <jobwarden> <revision> <heap: true|false|none> <block ms>`
import { createClient } from '@jobwarden/client';
import { createWorker } from '@jobwarden/worker';

const [url, revision, heap, blockMs] = process.argv.slice(2);
const evidence = heap === 'none' ? false : { heapSnapshot: heap === 'true' };
const worker = createWorker({ client: createClient({ url }), id: revision, revision, leaseMs: 600, maxBlockedMs: 60_000, evidence, drainGraceMs: 60_000 });
globalThis.keptInMemory = { note: 'found in the heap' };
const done = worker.run({ queue: 'q', id: revision }, async ({ signal }) => {
  console.log('runs');
  const until = performance.now() + Number(blockMs);
  while (performance.now() < until);
  await new Promise((resolve) => (signal.aborted ? resolve() : setTimeout(resolve, 60_000)));
});
await done;
