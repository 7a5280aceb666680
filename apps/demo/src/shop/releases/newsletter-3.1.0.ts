import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '@jobwarden/worker';
import { SLOWEST_NEWSLETTER_MS } from '../settings.js';

export interface Mailing {
  readonly to: string;
}

/** To one reader it is quick, to all of them it takes its time: nothing is wrong with it. */
export async function handle(job: Job<Mailing>): Promise<string> {
  const { payload, signal } = job;
  const steps = payload.to === 'everybody' ? SLOWEST_NEWSLETTER_MS / 1_000 : 1;
  for (let step = 1; step <= steps; step += 1) {
    await delay(steps === 1 ? 200 + Math.random() * 100 : 1_000, undefined, { signal });
    job.progress({ percent: Math.round((100 * step) / steps) });
  }
  return `sent to ${payload.to}`;
}
