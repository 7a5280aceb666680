import { setTimeout as delay } from 'node:timers/promises';
import type { Sends } from '../load.js';
import type { SentEvent } from '../emitter.js';

const JOBS_AT_ONCE = 100;

/** The bulk of the traffic: jobs that are queued, started and succeed, `events` in all, at a steady rate. */
export async function sendBulk(emitter: Sends, events: number, perSecond: number, stopped: AbortSignal): Promise<number> {
  let sent = 0;
  const begunMs = Date.now();
  for (let job = 0; sent < events && !stopped.aborted; job += JOBS_AT_ONCE) {
    const batch = Array.from({ length: JOBS_AT_ONCE }, (_, i) => lifeOf(emitter, job + i)).flat();
    if (!(await emitter.send(batch))) break;
    sent += batch.length;
    const aheadMs = (sent / perSecond) * 1_000 - (Date.now() - begunMs);
    if (aheadMs > 0) await delay(aheadMs, undefined, { signal: stopped }).catch(() => undefined);
  }
  return sent;
}

function lifeOf(emitter: Sends, job: number): SentEvent[] {
  const subject = `bulk-${String(job)}`;
  const worker = { id: `b${String(job % 20)}` };
  const event = (type: string, data: object): SentEvent => ({
    id: emitter.nextId(),
    subject,
    type: `jobwarden.job.${type}.v1`,
    data: { queue: 'bulk', ...data },
  });
  return [
    event('queued', {}),
    event('started', { attempt: 1, worker, leaseMs: 600_000 }),
    event('succeeded', { attempt: 1, worker }),
  ];
}
