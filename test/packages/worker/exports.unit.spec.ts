// What the library hands to prom-client, with the real one behind it.
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { workerMetrics } from '@jobwarden/worker/metrics';

describe('the metrics of a worker', () => {
  it('count what has ended by the names of the service, within a bound of queues', async () => {
    const register = new Registry();
    const metrics = workerMetrics({ register, maxQueues: 2 });
    metrics.ended('emails', 'succeeded');
    metrics.ended('emails', 'failed');
    for (const queue of ['reports', 'one', 'more']) metrics.ended(queue, 'failed');
    workerMetrics({ register }).ended('emails', 'succeeded');
    const text = await register.metrics();
    expect(text).toContain('worker_jobs_processed_total{queue="emails",status="succeeded"} 2');
    expect(text).toContain('worker_jobs_processed_total{queue="emails",status="failed"} 1');
    expect(text).toContain('worker_jobs_failed_total{queue="other"} 2');
  });
});
