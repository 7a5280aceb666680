import { setTimeout as delay } from 'node:timers/promises';

/**
 * A worker as a process of its own, at one long run: `worker-process.js URL WORKER QUEUE LEASE_MS BEAT_EVERY_MS`. It says
 * `started` when its start is acknowledged, beats until SIGTERM, and then says that its job has succeeded. Each event is
 * repeated, with its id, until it is acknowledged.
 */
const [url = '', worker = '', queue = '', lease = '', beatEvery = ''] = process.argv.slice(2);
let events = 0;
const ending = new AbortController();
const stopped = (): boolean => ending.signal.aborted;
process.once('SIGTERM', () => {
  ending.abort();
});

async function say(type: string, data: object = {}): Promise<void> {
  const id = `${worker}-${String((events += 1))}`;
  const event = { specversion: '1.0', source: 'trust', id, subject: `job-${worker}`, type: `jobwarden.job.${type}.v1` };
  const body = JSON.stringify({ ...event, data: { queue, attempt: 1, worker: { id: worker }, ...data } });
  const headers = { 'content-type': 'application/cloudevents+json' };
  for (;;) {
    const response = await fetch(`${url}/v1/events`, { method: 'POST', headers, body }).catch(() => null);
    const answer = await response?.text();
    if (response?.ok === true) return;
    if (response !== null && response.status < 500) throw new Error(`${String(response.status)} ${String(answer)}`);
    await delay(50);
  }
}

await say('queued');
await say('started', { leaseMs: Number(lease) });
console.log('started');
while (!stopped()) {
  await delay(Number(beatEvery), undefined, { signal: ending.signal }).catch(() => undefined);
  if (!stopped()) await say('heartbeat');
}
await say('succeeded');
