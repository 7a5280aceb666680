// A worker process of one release: takes tickets from its parent, and runs them by the published worker library.
//
//   main.js <base URL> <queue> <worker id> <revision> <jobs at once>
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@jobwarden/client';
import { createWorker } from '@jobwarden/worker';
import type { Ticket } from '../../ticket.js';
import { programOf } from '../releases.js';
import { SHOP_LEASE_MS } from '../settings.js';
import type { FromShopWorker, ToShopWorker } from './messages.js';

const [url = '', queue = '', id = '', revision = '', atOnce = '1'] = process.argv.slice(2);
const tell = (message: FromShopWorker) => process.send?.(message);
const leaving = new AbortController();
/** Not begun, and to be begun by others or later. */
const COMES_AGAIN: ReadonlySet<string> = new Set(['held', 'paused', 'throttled', 'revision_quarantined', 'draining']);

const handle = await programOf(queue, revision);
const worker = createWorker({
  ...{ client: createClient({ url }), id, revision, leaseMs: SHOP_LEASE_MS, drainGraceMs: 1_000, stopGraceMs: 500 },
  onRevision: (_, state) => tell({ kind: 'release', state }),
  // The parent tells what matters to the person who watches.
  logger: { info: () => undefined, warn: () => undefined },
});

async function run(ticket: Ticket): Promise<void> {
  const { kind, payload, command, attempt } = ticket;
  const spec = command === undefined ? { payload, attempt } : { command };
  const result = await worker.run({ queue, id: ticket.id, kind, ...spec, signal: leaving.signal }, handle);
  if (result.kind === 'succeeded') tell({ kind: 'done', id: ticket.id, said: result.value });
  if (result.kind === 'refused' && COMES_AGAIN.has(result.code)) {
    tell({ kind: 'back', ticket });
    if (result.code === 'revision_quarantined') await worker.admitted(queue);
    else await delay(Math.min(result.retryAfterMs ?? 200, 1_000));
  }
  tell({ kind: 'ready' });
}

async function leave(now: boolean): Promise<void> {
  if (now) leaving.abort();
  await worker.drain();
  process.disconnect();
}

process.on('message', (message: ToShopWorker) => {
  if (message.kind === 'run') void run(message.ticket);
  else void leave(message.now);
});
// Ctrl-C reaches the whole group; the parent decides. Without a parent there is nothing left to do.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));

for (let n = 0; n < Number(atOnce); n += 1) tell({ kind: 'ready' });
