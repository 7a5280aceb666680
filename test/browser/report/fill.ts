import type { Client } from 'pg';

const BATCH = 1_000;
const AT_ONCE = 3;
/** Of a hundred jobs: started, and of these succeeded and failed. */
const STARTED = 12;
const SUCCEEDED = 9;
const FAILED = 2;

export interface FillOptions {
  readonly url: string;
  readonly queues: number;
  readonly jobs: number;
  readonly progress: (text: string) => void;
}

/** Real events through the service's own front door: what the overview then reads is what the service has made of them. */
export async function fill({ url, queues, jobs, progress }: FillOptions): Promise<{ readonly events: number; readonly seconds: number }> {
  const begun = performance.now();
  let [next, events] = [0, 0];
  const worker = async (): Promise<void> => {
    while (next < jobs) {
      const from = next;
      next += BATCH;
      const batch = Array.from({ length: Math.min(BATCH, jobs - from) }, (_, i) => eventsOf(from + i, queues)).flat();
      for (let i = 0; i < batch.length; i += BATCH) await send(url, batch.slice(i, i + BATCH));
      events += batch.length;
      if (from % 100_000 === 0) progress(`${from.toLocaleString('en')} of ${jobs.toLocaleString('en')} jobs`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { events, seconds: (performance.now() - begun) / 1_000 };
}

async function send(url: string, events: readonly object[]): Promise<void> {
  const response = await fetch(`${url}/v1/events`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(events) });
  const text = await response.text();
  if (!response.ok) throw new Error(`events were answered ${String(response.status)}: ${text.slice(0, 300)}`);
}

function eventsOf(n: number, queues: number): object[] {
  const time = new Date().toISOString();
  const event = (fact: string, data: object): object => ({
    specversion: '1.0',
    type: `jobwarden.job.${fact}.v1`,
    source: 'report',
    id: `${String(n)}/${fact}`,
    subject: `job-${String(n)}`,
    time,
    data: { queue: `queue-${String(n % queues).padStart(3, '0')}`, ...data },
  });
  const worker = { attempt: 1, worker: { id: `worker-${String(n % 97)}` } };
  const share = Math.floor(n / queues) % 100;
  const queued = event('queued', { kind: 'work' });
  if (share >= STARTED) return [queued];
  const started = [queued, event('started', worker)];
  if (share < SUCCEEDED) return [...started, event('succeeded', worker)];
  return share < SUCCEEDED + FAILED ? [...started, event('failed', { ...worker, error: { class: 'Broken', message: 'no' } })] : started;
}

/** An hour of samples, which would take an hour to come about. */
export async function fillSamples(client: Client): Promise<void> {
  await client.query(`
INSERT INTO jobwarden.queue_samples (minute, queue_id, waiting, running, succeeded, failed, median_ms)
SELECT m.minute, q.queue_id, 2000 + 900 * sin(q.queue_id + m.minute / 7.0)::numeric, 20, 40, q.queue_id % 5, 150 + q.queue_id % 90
FROM generate_series((SELECT jobwarden.lane_now() / 60000 - 59)::integer, (SELECT jobwarden.lane_now() / 60000)::integer) AS m (minute),
     (SELECT queue_id FROM jobwarden.queues UNION ALL SELECT 0) AS q
ON CONFLICT DO NOTHING`);
  await client.query('VACUUM ANALYZE');
}
