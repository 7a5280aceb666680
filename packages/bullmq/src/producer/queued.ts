import type { JobFact, QueuedData } from '@jobwarden/client';
import type { Job } from 'bullmq';
import { carriedOf } from '../carried.js';
import { runOf } from '../run-id.js';

/** The part of a BullMQ job that `queued` is made of. */
export type Added = Pick<Job, 'name' | 'data' | 'opts' | 'timestamp' | 'queueName'> & { readonly id?: string | undefined };

/** As Jobwarden allows it. */
const MOST_RETRIES = 100;

/**
 * `queued` of a job as it stands in BullMQ. Its id and what it says come from the job alone, so that told twice it is a
 * duplicate. `attempts` above 1 become the job's own `maxRetries`; 0 and 1, BullMQ's default, leave it to the policy.
 */
export function queuedFact(job: Added): JobFact & { readonly type: 'queued' } {
  const { jobId } = runOf(job.id ?? '', job.timestamp);
  const { name, opts, timestamp } = job;
  const data: unknown = job.data;
  const attempts = carriedOf(opts)?.attempts ?? opts.attempts ?? 0;
  const delayMs = opts.delay ?? 0;
  const said: QueuedData = {
    kind: name,
    // As BullMQ stores it.
    payload: data === undefined ? {} : data,
    ...(attempts > 1 && { maxRetries: Math.min(MOST_RETRIES, attempts - 1) }),
    ...(delayMs > 0 && { notBefore: new Date(timestamp + delayMs).toISOString() }),
  };
  const traceparent = traceparentOf(opts);
  return { type: 'queued', id: 'queued', queue: carriedOf(opts)?.queue ?? job.queueName, jobId, data: said, ...(traceparent !== undefined && { traceparent }) };
}

/** BullMQ's telemetry keeps the producer's trace context as JSON. */
export function traceparentOf({ telemetry }: Pick<Job['opts'], 'telemetry'>): string | undefined {
  try {
    const { traceparent } = JSON.parse(telemetry?.metadata ?? '{}') as { traceparent?: unknown };
    return typeof traceparent === 'string' ? traceparent : undefined;
  } catch {
    return undefined;
  }
}
